/** Takes one response from its request to its settlement (section C). */
import type { EffectPending } from "../../durable/state.ts";
import type { ActivationOutcome } from "../options.ts";
import type { Response } from "../settlement/plan-settlement.ts";
import { afterResponse } from "./after-response.ts";
import { settleResponse } from "./commit-settlement.ts";
import type { Drive } from "./drive.ts";
import { Observation, type Send } from "./observation.ts";

/**
 * Takes a reserved response to its settlement: request, stream, hook, settlement (section C). The same for a fresh
 * attempt and for a poll (G1).
 */
export async function complete(
  drive: Drive,
  intent: EffectPending,
  send: Send,
): Promise<ActivationOutcome | undefined> {
  const { responseEntryId } = intent;
  const observed = await observe(drive, intent, send);
  if (observed === undefined) {
    // Cancelled between intent and request: what was reserved is reconciled like any other orphan (F4).
    drive.live = undefined;
    return undefined;
  }
  const message = await afterResponse(drive, responseEntryId, observed.message);
  void drive.emit({ type: "message_end", message, entryId: responseEntryId });
  return settleResponse(drive, responseEntryId, { message, interrupted: observed.interrupted });
}

/** Sends the request and reads its stream; `undefined` when a cancel came first and nothing was sent. */
async function observe(drive: Drive, intent: EffectPending, send: Send): Promise<Response | undefined> {
  drive.assertAlive();
  if (drive.lane.cancelRequested) return undefined;
  const observation = new Observation(drive, intent);
  const response = await observation.read(send);
  drive.assertAlive();
  await observation.latestFrameWrite;
  drive.assertAlive();
  return response;
}
