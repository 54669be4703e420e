/** The steps of an operation whose response is deferred: poll, stay suspended, or end (G2, F3, F4). */
import type { DeferredEffectPending, DeferredState, DeferredSuspended } from "../../durable/state.ts";
import { InvariantError } from "../../errors.ts";
import type { ActivationOutcome } from "../options.ts";
import { readSourceHandle } from "../reading/deferred-handle.ts";
import type { Drive } from "./drive.ts";
import { poll } from "./poll.ts";
import { recover } from "./recovery.ts";
import { startRemoteCancel } from "./remote-cancel.ts";

/** A suspended operation ends when it was cancelled (F4), is polled with a permit, and else stays as it is (G2). */
export function continueSuspended(drive: Drive, state: DeferredSuspended): Promise<ActivationOutcome | undefined> {
  if (drive.lane.cancelRequested) return abandon(drive);
  return drive.permit ? poll(drive) : suspended(drive, state);
}

/** An unknown poll is settled when it was cancelled (F3), replaced with a permit, and else stays as it is (G2). */
export function continuePoll(drive: Drive, state: DeferredEffectPending): Promise<ActivationOutcome | undefined> {
  if (drive.lane.cancelRequested) return recover(drive);
  return drive.permit ? poll(drive) : suspended(drive, state);
}

/** What an activation without a permit answers; it leaves the durable state as it is (G2). */
async function suspended(drive: Drive, state: DeferredState): Promise<ActivationOutcome | undefined> {
  const handle = await readSourceHandle((query) => drive.core.read(query), state);
  drive.assertAlive();
  // The next step handles a cancel that came meanwhile.
  return drive.lane.cancelRequested ? undefined : { kind: "suspended", handle, poll: state.poll };
}

/** Ends a cancelled operation. The cancel stands before this on the line, so it has landed here. */
function abandon(drive: Drive): Promise<ActivationOutcome> {
  return drive.transact(async (view, operation, turn) => {
    const { state } = operation;
    if (state.at !== "deferred.suspended") throw new InvariantError(`Nothing is suspended at "${state.at}"`);
    await startRemoteCancel(drive, state, turn);
    return drive.planEnd(view, operation, { status: "aborted" });
  });
}
