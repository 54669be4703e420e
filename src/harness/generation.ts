import type {
  Api,
  AssistantMessage,
  AssistantMessageEvent,
  Context,
  Model,
  SimpleStreamOptions,
} from "@earendil-works/pi-ai";
import { operationState, pendingAssistantFrames } from "../addresses/builtins.ts";
import { type AssistantEffectPending, isCancelled, scopeOf } from "../durable/state.ts";
import { InvariantError, ProviderProtocolError } from "../errors.ts";
import type { Plan } from "../session/core.ts";
import type { LaneView, Operation } from "../session/lane-view.ts";
import type { AppendOutcome } from "../session/line.ts";
import { appendList, setValue } from "../storage/writes.ts";
import { afterResponse } from "./after-response.ts";
import type { Drive } from "./drive.ts";
import type { StreamUpdate } from "./events.ts";
import type { ActivationOutcome } from "./options.ts";
import { ownsResponse, settleResponse } from "./settle.ts";
import { readStream, type StreamingEvent } from "./stream.ts";
import { deriveMessages, readTranscript } from "./transcript.ts";

interface Request {
  readonly intent: AssistantEffectPending;
  readonly model: Model<Api>;
}

type Begun = { kind: "request"; request: Request } | { kind: "ended"; outcome: ActivationOutcome };

/** Waits until the next attempt is due, or answers `waiting` when the caller asked for that (O4). */
export async function waitUntilDue(drive: Drive, notBefore: number): Promise<ActivationOutcome | undefined> {
  const { clock } = drive.core;
  while (!drive.lane.cancelRequested && clock.now() < notBefore) {
    if (!drive.waitForRetry) return { kind: "waiting", notBefore };
    await Promise.race([sleep(drive, notBefore), drive.whenPulled()]);
    drive.assertAlive();
  }
  return undefined;
}

/** A clock may answer a pulled signal by rejecting; any other rejection is a defect of the clock. */
async function sleep(drive: Drive, untilMs: number): Promise<void> {
  try {
    await drive.core.clock.sleepUntil(untilMs, drive.signal);
  } catch (error) {
    if (!drive.signal.aborted) throw error;
  }
}

/** One attempt: intent, request, stream, hook, settlement (section C). */
export async function generate(drive: Drive): Promise<ActivationOutcome | undefined> {
  const begun = await drive.transact((view, operation) => planBegin(drive, view, operation));
  if (begun.kind === "ended") return begun.outcome;
  const { intent } = begun.request;
  const observed = await observe(drive, begun.request);
  if (observed === undefined) {
    // Cancelled between intent and request: what was reserved is reconciled like any other orphan (F4).
    drive.live = undefined;
    return undefined;
  }
  const message = await afterResponse(drive, intent.responseEntryId, observed);
  void drive.emit({ type: "message_end", message, entryId: intent.responseEntryId });
  return settleResponse(drive, intent.responseEntryId, message);
}

/** The intent reserves the ids before a request is sent. A cancel that landed before it ends the operation (X12). */
function planBegin(drive: Drive, view: LaneView, operation: Operation): Plan<Begun> {
  const { state } = operation;
  if (state.at !== "assistant.ready" && state.at !== "assistant.retry_wait") {
    throw new InvariantError(`An attempt cannot begin at "${state.at}"`);
  }
  if (isCancelled(state)) return ended(drive.planEnd(view, operation, { status: "aborted" }));
  const { provider, modelId } = state.generationContext.configuration.model;
  const model = drive.scope.options.models.getModel(provider, modelId);
  if (model === undefined) {
    const error = { code: "unknown_model", message: `There is no model ${provider}/${modelId}` };
    return ended(drive.planEnd(view, operation, { status: "failed", error }));
  }
  const { ids, clock } = drive.core;
  const intent: AssistantEffectPending = {
    ...scopeOf(state),
    at: "assistant.effect_pending",
    generationContext: state.generationContext,
    attempt: state.nextAttempt,
    responseEntryId: ids.next(clock.now()),
    usageId: ids.next(clock.now()),
    intendedOutputLimit: model.maxTokens,
    contextWindow: model.contextWindow,
    api: model.api,
  };
  return {
    writes: [setValue(operationState(drive.operationId), intent)],
    next: { ...view, operation: { ...operation, state: intent } },
    replied: () => {
      if (!drive.lane.cancelRequested) drive.live = { partial: undefined };
      return { kind: "request", request: { intent, model } };
    },
  };
}

function ended(plan: Plan<ActivationOutcome>): Plan<Begun> {
  if (plan.writes === undefined) return { value: { kind: "ended", outcome: plan.value } };
  const { writes, next, replied } = plan;
  return { writes, next, replied: (commit) => ({ kind: "ended", outcome: replied(commit) }) };
}

/** Sends the request and reads its stream; `undefined` when a cancel came first and nothing was sent. */
async function observe(drive: Drive, request: Request): Promise<AssistantMessage | undefined> {
  const context = await contextOf(drive);
  drive.assertAlive();
  if (drive.lane.cancelRequested) return undefined;
  const stream = send(drive, request, context);
  let latestFrameWrite: Promise<AppendOutcome> | undefined;
  const { responseEntryId } = request.intent;
  const frames = pendingAssistantFrames(drive.operationId, responseEntryId);
  const message = await readStream(stream, {
    get over() {
      return drive.over;
    },
    append(frame) {
      const write = drive.core.append(() =>
        ownsResponse(drive, responseEntryId) ? [appendList(frames, frame)] : undefined,
      );
      // Every write is watched, though only the latest is kept: on a FIFO line it is the last to land (C5).
      write.catch((error: unknown) => drive.core.fail(error));
      latestFrameWrite = write;
    },
    tell: (event) => tell(drive, event),
  });
  drive.assertAlive();
  await latestFrameWrite;
  drive.assertAlive();
  return message;
}

async function contextOf(drive: Drive): Promise<Context> {
  const { core, options } = drive.scope;
  const entries = await readTranscript((query) => core.read(query), drive.lane.view?.tipId ?? null);
  // Providers may normalise what they are given in place, so they get their own copy.
  const messages = structuredClone(deriveMessages(entries));
  return options.systemPrompt === undefined ? { messages } : { systemPrompt: options.systemPrompt, messages };
}

function send(drive: Drive, { intent, model }: Request, context: Context): AsyncIterable<AssistantMessageEvent> {
  const { configuration, streamOptions } = intent.generationContext;
  const { thinkingLevel } = configuration;
  const options: SimpleStreamOptions = { ...streamOptions, signal: drive.signal };
  if (thinkingLevel !== "off") options.reasoning = thinkingLevel;
  try {
    return drive.scope.options.models.streamSimple(model, context, options);
  } catch (error) {
    throw new ProviderProtocolError("the request threw", "the request", error);
  }
}

async function tell(drive: Drive, event: StreamingEvent): Promise<void> {
  if (drive.live !== undefined) drive.live.partial = event.partial;
  if (event.type === "start") return drive.emit({ type: "message_start", message: event.partial });
  const { partial: _growing, ...update } = event;
  return drive.emit({ type: "message_update", event: update as StreamUpdate });
}
