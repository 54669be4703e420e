/** What a process is asked that recovers a session, and what it answers: both as JSON. */
import type { JsonlSessionMetadata } from "@earendil-works/pi-agent-core";
import type { FileStoreName } from "../../src/index.ts";

export type RecoveryTask = { readonly path: string } & (
  | { readonly store: FileStoreName }
  | { readonly store: "pi jsonl"; readonly metadata: JsonlSessionMetadata }
);

export interface RecoveryAnswer {
  /** From opening the store to the end of the operation. */
  readonly recoveryMs: number;
  /** The most memory that the process ever held, its code included. */
  readonly peakMb: number;
}
