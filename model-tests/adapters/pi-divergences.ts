/** Where pi-agent-core 0.87.1 and the specification part. Each entry was found by the checker and reviewed. */
import type { KnownDivergence } from "../verify/known.ts";

export const piDivergences: readonly KnownDivergence[] = [];
