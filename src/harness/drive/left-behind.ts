/** The message of a response whose provider was left behind: the live partial, and why there is no more of it (Q4). */
import type { AssistantMessage } from "@earendil-works/pi-ai";
import { pendingResponse } from "../../durable/state.ts";
import { brokenOff } from "../settlement/storable-response.ts";
import { patienceOf } from "../state/patience.ts";
import { type Drive, DriveOver } from "./drive.ts";
import type { Left } from "./wait.ts";

/** Taken in the instant in which the provider is left: what it still adds to its partial is not part of it. */
export function leftBehind(drive: Drive, why: Left): AssistantMessage {
  const operation = drive.lane.view?.operation;
  const state = operation === undefined ? undefined : pendingResponse(operation.state);
  if (state === undefined) throw new DriveOver();
  const now = drive.core.clock.now();
  const partial = drive.live?.partial;
  const { stopGraceMs, providerSilenceMs } = patienceOf(drive.scope.options);
  const ends =
    why === "stopped"
      ? ({ stopReason: "aborted", errorMessage: `Stopped; its end did not come within ${stopGraceMs} ms` } as const)
      : ({
          stopReason: "error",
          errorMessage: `The request timed out: the provider was silent for ${providerSilenceMs} ms`,
        } as const);
  return brokenOff(state, { partial, usage: partial?.usage }, ends, now);
}
