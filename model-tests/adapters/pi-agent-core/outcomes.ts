/** How the promises of pi's calls end, in the words of the checker. Whatever has no word here is thrown on. */
import type { DriveOutcome, OperationResultRecord, Result } from "@earendil-works/pi-agent-core";
import type { CallOutcome } from "../../../machines/index.ts";
import { finalizedCode, StoreFailure } from "../adapter.ts";
import type { Pi } from "./package.ts";

const refusals: ReadonlySet<string> = new Set([
  "LaneBusy",
  "NothingToResume",
  "NoActiveOperation",
  "OperationMismatch",
]);

/** The value of a result that pi calls an expected one, or the outcome that its error stands for. */
export function unwrap<T>(
  result: Result<T, Error & { readonly _tag: string }>,
  read: (value: T) => CallOutcome,
): CallOutcome {
  if (result.ok) return read(result.value);
  if (result.error._tag === "Closed") return "closed";
  if (refusals.has(result.error._tag)) return "refused";
  throw result.error;
}

export function driveOutcome(outcome: DriveOutcome): CallOutcome {
  if (outcome.kind === "settled") return recordOutcome(outcome.outcome);
  return outcome.reason === "deferred" ? "suspended" : "waiting";
}

/** The terminal transaction of the checker's outside party is a failure with a code of its own. */
export function recordOutcome({ status, error }: OperationResultRecord): CallOutcome {
  if (status === "declined") throw new Error("pi recorded a run as declined");
  return status === "failed" && error?.code === finalizedCode ? "finalized" : status;
}

/** Settles a call: a typed rejection is an outcome, any other is thrown on. */
export async function settled(pi: Pi, call: () => Promise<CallOutcome>): Promise<CallOutcome> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof pi.HarnessClosed || error instanceof pi.Closed) return "closed";
    if (error instanceof pi.HarnessFault || error instanceof StoreFailure) return "fault";
    throw error;
  }
}
