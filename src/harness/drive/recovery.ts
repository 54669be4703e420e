/** The step of a recovery: settles a response that lost its process, from its committed frames (section E). */
import type { AssistantMessage, AssistantMessageDiagnostic } from "@earendil-works/pi-ai";
import { type EffectPending, pendingResponse } from "../../durable/state.ts";
import { InvariantError } from "../../errors.ts";
import { zeroUsage } from "../../storage/contract/usage-totals.ts";
import type { ActivationOutcome } from "../options.ts";
import { type DurablePartial, readPartial } from "../reading/partial.ts";
import { planSettlement } from "../settlement/plan-settlement.ts";
import { emptyResponse, withStorableBlocks } from "../settlement/storable-response.ts";
import { planningWorld, settlementPlan } from "./commit-settlement.ts";
import type { Drive } from "./drive.ts";
import { startRemoteCancel } from "./remote-cancel.ts";

/** What the transcript says about a response that nobody saw the end of (E3). */
export const interruptionWarning =
  "The provider request was interrupted. The preceding content is the latest committed partial response; " +
  "newer live output may be missing, and the external request outcome is unknown.";

/**
 * Settles an orphaned response from its committed frames, under the reserved ids and in one transaction (E2 to E5).
 * The frames are read at the turn, so that what was read is what is settled. No hook and no request (E6).
 */
export function recover(drive: Drive): Promise<ActivationOutcome | undefined> {
  return drive.transact(async (view, operation, turn) => {
    const state = pendingResponse(operation.state);
    if (state === undefined) throw new InvariantError(`There is nothing to recover at "${operation.state.at}"`);
    // Only a cancelled poll is recovered; without a cancel it stays unknown until a permit replaces it (G2, G4).
    if (state.at === "deferred.effect_pending") await startRemoteCancel(drive, state, turn);
    const partial = await readPartial(turn.read, drive.operationId, state.responseEntryId);
    const message = interruptedMessage(state, partial, drive.core.clock.now());
    const settlement = planSettlement(view, operation, state, { message, interrupted: true }, planningWorld(drive));
    return settlementPlan(drive, settlement, true);
  });
}

/** The synthetic error: committed content and identity, zero usage, and what is not known (E3, E4). */
export function interruptedMessage(state: EffectPending, partial: DurablePartial, now: number): AssistantMessage {
  const base = partial.message === undefined ? emptyResponse(state, now) : withStorableBlocks(partial.message);
  const { damage } = partial;
  const message: AssistantMessage = {
    ...base,
    usage: zeroUsage(),
    stopReason: "error",
    errorMessage: damage === undefined ? interruptionWarning : `${interruptionWarning} Damaged frames: ${damage}.`,
  };
  if (damage !== undefined) message.diagnostics = [...(base.diagnostics ?? []), damageDiagnostic(damage, now)];
  return message;
}

function damageDiagnostic(damage: string, timestamp: number): AssistantMessageDiagnostic {
  return { type: "damaged_frames", timestamp, error: { message: damage } };
}
