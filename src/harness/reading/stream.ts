/** Reads the event stream of a provider: encodes each event, queues its frame, tells it (C1, C2, B3). */
import type { AssistantMessage, AssistantMessageEvent, AssistantMessageFrame } from "@earendil-works/pi-ai";
// Only this part of the package: the whole takes a second to load.
import { AssistantMessageFrameEncoder } from "@earendil-works/pi-ai/utils/assistant-message-frame";
import { frozenCopy } from "../../durable/json.ts";
import { ProviderProtocolError } from "../../errors.ts";
import { assertDepth } from "../../storage/admission/depth.ts";
import { OpenCalls } from "./open-calls.ts";
import { withCountableUsage } from "./usage.ts";

/** What a provider stream is read for. */
export interface StreamSink {
  /** Whether the reader has ended: nothing from the stream may be used any more. */
  readonly over: boolean;
  /** Told of each event, before it is judged. */
  taken?(event: AssistantMessageEvent): void;
  /** Waits for the provider, or a listener; answers `undefined` when it is left behind (Q4). Default: waits for ever. */
  wait?<T>(answer: Promise<T>, whom: "provider" | "listener"): Promise<T | undefined>;
  /** Queues the append of one frame, in this call. */
  append(frame: AssistantMessageFrame): void;
  /** Tells listeners of a start or an update. */
  tell(event: StreamingEvent): Promise<void>;
}

/** An event that is neither `done` nor `error`. */
export type StreamingEvent = Exclude<AssistantMessageEvent, { type: "done" | "error" }>;

/**
 * Reads a provider stream to its end and returns its final message, or `undefined` when the sink is over earlier, or
 * leaves the provider or a listener behind.
 * For each event: encode, queue the frame, tell, and only then take the next (C1, C2).
 *
 * @throws {ProviderProtocolError} for the defects of B3. The stream is then not touched again.
 */
export async function readStream(
  stream: AsyncIterable<AssistantMessageEvent>,
  sink: StreamSink,
): Promise<AssistantMessage | undefined> {
  const encoder = new AssistantMessageFrameEncoder();
  const calls = new OpenCalls();
  const wait: Required<StreamSink>["wait"] = (answer, whom) => sink.wait?.(answer, whom) ?? answer;
  const iterator = iteratorOf(stream);
  let final: AssistantMessage | undefined;
  for (let index = 0; ; index++) {
    const taken = await wait(takeNext(iterator, index), "provider");
    if (sink.over) return undefined;
    if (taken === undefined) return abandon(iterator);
    if (taken.done) break;
    const event = taken.value;
    sink.taken?.(event);
    const frame = encode(encoder, event, index);
    if (event.type === "done") final = calls.settle(event.message);
    else if (event.type === "error") final = event.error;
    else {
      if (frame !== undefined) sink.append(frame);
      calls.note(event);
      const told = await wait(
        tell(sink, event, index).then(() => true),
        "listener",
      );
      if (sink.over) return undefined;
      if (told === undefined) return abandon(iterator);
    }
  }
  if (final === undefined) throw new ProviderProtocolError("the stream ended without a terminal event", "its end");
  return final;
}

/** Tells the provider that nobody reads on, and does not wait for its answer. */
function abandon(iterator: AsyncIterator<AssistantMessageEvent>): undefined {
  void Promise.resolve()
    .then(() => iterator.return?.())
    .catch(() => {});
}

function iteratorOf(stream: AsyncIterable<AssistantMessageEvent>): AsyncIterator<AssistantMessageEvent> {
  try {
    return stream[Symbol.asyncIterator]();
  } catch (error) {
    throw new ProviderProtocolError("the answer to the request is no stream", "the request", error);
  }
}

/** Events are told as copies: one that cannot be copied is no event. */
async function tell(sink: StreamSink, event: StreamingEvent, index: number): Promise<void> {
  try {
    await sink.tell(event);
  } catch (error) {
    throw defectAt(event, index, error);
  }
}

async function takeNext(
  iterator: AsyncIterator<AssistantMessageEvent>,
  index: number,
): Promise<IteratorResult<AssistantMessageEvent, unknown>> {
  try {
    return await iterator.next();
  } catch (error) {
    throw new ProviderProtocolError("the stream threw", `event ${index}`, error);
  }
}

/** The encoder knows the order of events: it refuses what comes before the start, twice, or after the end. */
function encode(
  encoder: AssistantMessageFrameEncoder,
  event: AssistantMessageEvent,
  index: number,
): AssistantMessageFrame | undefined {
  try {
    const frame = encoder.encode(event);
    if (frame === undefined) return undefined;
    return storable(frame.type === "start" ? { ...frame, partial: withCountableUsage(frame.partial) } : frame);
  } catch (error) {
    throw defectAt(event, index, error);
  }
}

/** What a store would refuse must not come to it (Q2). */
function storable(frame: AssistantMessageFrame): AssistantMessageFrame {
  assertDepth(frame);
  return frozenCopy(frame);
}

/** The event may be anything that a provider gives. */
function defectAt(event: AssistantMessageEvent | undefined, index: number, error: unknown): ProviderProtocolError {
  const what = error instanceof Error ? error.message : String(error);
  return new ProviderProtocolError(what, `event ${index} (${event?.type})`, error);
}
