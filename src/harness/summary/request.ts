/** Asks a model for a summary and reads its answer to the end (H1). */
import type { AssistantMessage, AssistantMessageEvent, Message, SimpleStreamOptions } from "@earendil-works/pi-ai";
import { ProviderProtocolError, SummaryFailed } from "../../errors.ts";
import type { LaneView } from "../../session/lane-view.ts";
import { readStream } from "../reading/stream.ts";
import type { HarnessScope } from "../state/scope.ts";

const defaultInstructions =
  "Summarize the conversation above so that it can be continued from your summary alone. Keep its goals, decisions, " +
  "results, open questions and exact names. Answer with the summary only.";

/**
 * Asks the lane's model and reads the stream to its end. Nothing of the stream is stored or told (H1, N11).
 *
 * @throws {SummaryFailed} when nothing can be asked, the signal was pulled before the end, or the stream broke its protocol.
 */
export async function requestSummary(
  scope: HarnessScope,
  view: LaneView,
  instructions: string | undefined,
  signal: AbortSignal,
): Promise<AssistantMessage> {
  const messages = await scope.transcripts.messages((query) => scope.core.read(query), view.lane, view.tipId);
  if (messages.length === 0) throw new SummaryFailed(view.lane, "nothing_to_summarize", "it has no message");
  const question: Message = {
    role: "user",
    content: instructions ?? defaultInstructions,
    timestamp: scope.core.clock.now(),
  };
  // From here to the request nothing is awaited: after the signal no request starts.
  if (signal.aborted) throw summaryAborted(view.lane);
  const stream = send(scope, view, [...messages, question], signal);
  const response = await readStream(stream, {
    get over() {
      return signal.aborted;
    },
    append: discard,
    tell: async () => {},
  }).catch((defect: ProviderProtocolError) => {
    throw broken(view.lane, defect);
  });
  if (response === undefined) throw summaryAborted(view.lane);
  return response;
}

/** A stream that broke its protocol costs its summary alone (Q6). */
const broken = (lane: string, defect: ProviderProtocolError): SummaryFailed =>
  new SummaryFailed(lane, "provider_error", defect.message, defect);

/** The caller's signal was pulled, or the session ended. */
export function summaryAborted(lane: string): SummaryFailed {
  return new SummaryFailed(lane, "aborted", "it was aborted");
}

function send(
  { options: { models, systemPrompt } }: HarnessScope,
  { lane, config }: LaneView,
  messages: Message[],
  signal: AbortSignal,
): AsyncIterable<AssistantMessageEvent> {
  const { provider, modelId } = config.model;
  const model = models.getModel(provider, modelId);
  if (model === undefined) throw new SummaryFailed(lane, "unknown_model", `there is no model ${provider}/${modelId}`);
  const options: SimpleStreamOptions = { signal };
  if (config.thinkingLevel !== "off") options.reasoning = config.thinkingLevel;
  const context = { ...(systemPrompt !== undefined && { systemPrompt }), messages };
  try {
    return models.streamSimple(model, context, options);
  } catch (error) {
    throw broken(lane, new ProviderProtocolError("the request threw", "the request", error));
  }
}

/** The partial of a summary lives in this process alone. */
function discard(): void {}
