/** Chooses the next step of a drive from the durable state alone (N1). */
import { isCancelled } from "../../durable/state.ts";
import { InvariantError, UnsupportedState } from "../../errors.ts";
import type { ActivationOutcome } from "../options.ts";
import { type Drive, DriveOver } from "./drive.ts";
import { generate } from "./generation.ts";
import { recover } from "./recovery.ts";
import { waitUntilDue } from "./retry-wait.ts";
import { continuePoll, continueSuspended } from "./suspension.ts";
import { runTools } from "./tools.ts";

/** Takes the step that the durable state asks for (N1). `undefined`: the operation goes on from its new state. */
export async function nextStep(drive: Drive): Promise<ActivationOutcome | undefined> {
  const operation = drive.lane.view?.operation;
  if (operation?.meta.operationId !== drive.operationId) throw new DriveOver();
  const { state } = operation;
  switch (state.at) {
    case "assistant.ready":
      return generate(drive);
    case "assistant.retry_wait":
      return (await waitUntilDue(drive, state.notBefore)) ?? generate(drive);
    case "assistant.effect_pending":
      return recover(drive);
    case "tools":
      return runTools(drive, state);
    case "checkpoint":
      return end(drive);
    case "deferred.suspended":
      return continueSuspended(drive, state);
    case "deferred.effect_pending":
      return continuePoll(drive, state);
    default:
      // The type is exhausted, but the state comes from a store that another program may have written.
      throw new UnsupportedState((state as { at: string }).at);
  }
}

/** Ends what needs nothing more. An earlier cancel stands before this on the line, so it has landed here (F4). */
function end(drive: Drive): Promise<ActivationOutcome> {
  return drive.transact((view, operation) => {
    const { state } = operation;
    if (state.at !== "checkpoint") throw new InvariantError(`Only a checkpoint completes, not "${state.at}"`);
    return drive.planEnd(view, operation, { status: isCancelled(state) ? "aborted" : "completed" });
  });
}
