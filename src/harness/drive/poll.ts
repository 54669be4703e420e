/** The step of a poll: asks once for a deferred response (section G). */
import type { Api, AssistantMessageEvent, DeferredHandle, Model } from "@earendil-works/pi-ai";
import { pendingAssistantFrames } from "../../addresses/builtins.ts";
import type { StreamOptions } from "../../durable/operation.ts";
import { type DeferredEffectPending, type DeferredState, isCancelled } from "../../durable/state.ts";
import { InvariantError } from "../../errors.ts";
import type { Plan } from "../../session/core.ts";
import type { LaneView, Operation } from "../../session/lane-view.ts";
import type { Turn } from "../../session/line.ts";
import type { Outcome } from "../../session/terminal.ts";
import { deleteList } from "../../storage/contract/writes.ts";
import type { ActivationOutcome } from "../options.ts";
import { handleMatches, readSourceHandle } from "../reading/deferred-handle.ts";
import type { Drive } from "./drive.ts";
import { type Begun, modelOf, planEndInstead, planIntent, unknownModel } from "./intent.ts";
import { complete } from "./observe.ts";

interface Request {
  readonly intent: DeferredEffectPending;
  readonly model: Model<Api>;
  readonly handle: DeferredHandle;
}

/** One poll of a deferred response, paid with the permit of the activation (section G). */
export async function poll(drive: Drive): Promise<ActivationOutcome | undefined> {
  const begun = await drive.transact((view, operation, turn) => planPoll(drive, view, operation, turn));
  if (begun.kind === "ended") return begun.outcome;
  const { request } = begun;
  drive.permit = false;
  return complete(drive, request.intent, (signal) => send(drive, signal, request));
}

async function planPoll(drive: Drive, view: LaneView, operation: Operation, turn: Turn): Promise<Plan<Begun<Request>>> {
  const { state } = operation;
  // An earlier cancel would have prevented this step; a later one is queued behind it. So none can have landed here.
  if ((state.at !== "deferred.suspended" && state.at !== "deferred.effect_pending") || isCancelled(state)) {
    throw new InvariantError(`A poll cannot begin at "${state.at}" while control is "${state.control.status}"`);
  }
  const handle = await readSourceHandle(turn.read, state);
  const model = modelOf(drive, state.configuration);
  if (model === undefined) return planEndInstead(drive, view, operation, unknownModel(state.configuration));
  const { provider, modelId } = state.configuration.model;
  if (!handleMatches(handle, { provider, modelId, api: model.api })) {
    return planEndInstead(drive, view, operation, foreignHandle(state));
  }
  const intent = intentOf(drive, state, model);
  return planIntent(drive, view, operation, { intent, model, handle }, abandonedList(operation));
}

/** A poll that replaces an unknown one keeps its number: it asks the same question again (G3). */
function intentOf(drive: Drive, state: DeferredState, { api }: Model<Api>): DeferredEffectPending {
  const { ids, clock } = drive.core;
  return {
    ...state,
    at: "deferred.effect_pending",
    poll: state.at === "deferred.suspended" ? state.poll + 1 : state.poll,
    responseEntryId: ids.next(clock.now()),
    usageId: ids.next(clock.now()),
    api,
  };
}

/** The frames of the unknown poll that is replaced go in the transaction that replaces it (R9). */
function abandonedList({ meta, state }: Operation) {
  if (state.at !== "deferred.effect_pending") return [];
  return [deleteList(pendingAssistantFrames(meta.operationId, state.responseEntryId))];
}

function foreignHandle({ sourceEntryId, configuration }: DeferredState): Outcome {
  const { provider, modelId } = configuration.model;
  const message = `The deferred handle of entry ${sourceEntryId} does not belong to ${provider}/${modelId}`;
  return { status: "failed", error: { code: "invalid_deferred", message } };
}

function send(
  drive: Drive,
  signal: AbortSignal,
  { intent, model, handle }: Request,
): AsyncIterable<AssistantMessageEvent> {
  const options = { ...requestOptions(intent.streamOptions), wait: 0, signal };
  // Providers get a copy of their own, as with the context of a fresh request.
  return drive.scope.options.models.streamDeferred(model, structuredClone(handle), options);
}

/** What of the captured options a poll takes. */
function requestOptions({ timeoutMs, maxRetries, maxRetryDelayMs, headers }: StreamOptions) {
  return {
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(maxRetries !== undefined && { maxRetries }),
    ...(maxRetryDelayMs !== undefined && { maxRetryDelayMs }),
    ...(headers !== undefined && { headers }),
  };
}
