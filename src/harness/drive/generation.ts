/** The step of a fresh attempt: intent, request, stream, settlement (section C). */
import type { Api, AssistantMessageEvent, Context, Model, SimpleStreamOptions } from "@earendil-works/pi-ai";
import { type AssistantEffectPending, isCancelled, scopeOf } from "../../durable/state.ts";
import { InvariantError } from "../../errors.ts";
import type { Plan } from "../../session/core.ts";
import type { LaneView, Operation } from "../../session/lane-view.ts";
import type { ActivationOutcome } from "../options.ts";
import type { Drive } from "./drive.ts";
import { type Begun, modelOf, planEndInstead, planIntent, unknownModel } from "./intent.ts";
import { complete } from "./observe.ts";

interface Request {
  readonly intent: AssistantEffectPending;
  readonly model: Model<Api>;
}

/** One attempt: intent, request, stream, hook, settlement (section C). */
export async function generate(drive: Drive): Promise<ActivationOutcome | undefined> {
  const begun = await drive.transact((view, operation) => planAttempt(drive, view, operation));
  if (begun.kind === "ended") return begun.outcome;
  const { request } = begun;
  const context = await contextOf(drive);
  return complete(drive, request.intent, (signal) => send(drive, signal, request, context));
}

/** Reserves the ids of the attempt. A cancel that landed before ends the operation (X12). */
function planAttempt(drive: Drive, view: LaneView, operation: Operation): Plan<Begun<Request>> {
  const { state } = operation;
  if (state.at !== "assistant.ready" && state.at !== "assistant.retry_wait") {
    throw new InvariantError(`An attempt cannot begin at "${state.at}"`);
  }
  if (isCancelled(state)) return planEndInstead(drive, view, operation, { status: "aborted" });
  const { configuration } = state.generationContext;
  const model = modelOf(drive, configuration);
  if (model === undefined) return planEndInstead(drive, view, operation, unknownModel(configuration));
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
  return planIntent(drive, view, operation, { intent, model });
}

async function contextOf(drive: Drive): Promise<Context> {
  const { core, options, transcripts } = drive.scope;
  const { name, view } = drive.lane;
  const messages = await transcripts.messages((query) => core.read(query), name, view?.tipId ?? null);
  return options.systemPrompt === undefined ? { messages } : { systemPrompt: options.systemPrompt, messages };
}

function send(
  drive: Drive,
  signal: AbortSignal,
  { intent, model }: Request,
  context: Context,
): AsyncIterable<AssistantMessageEvent> {
  const { configuration, streamOptions } = intent.generationContext;
  const { thinkingLevel } = configuration;
  const options: SimpleStreamOptions = { ...streamOptions, signal };
  if (thinkingLevel !== "off") options.reasoning = thinkingLevel;
  return drive.scope.options.models.streamSimple(model, context, options);
}
