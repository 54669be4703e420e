/** Requirements that nothing has to check, because the project does not serve them yet. Changed only in a review. */
import type { Unserved } from "./trace.ts";

export const unserved: Unserved = {};
