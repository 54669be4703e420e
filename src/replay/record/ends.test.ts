/** Streams that end badly, or not yet: recorded and played as they were. For whoever changes the recorder or the player. */
import { setImmediate as turn } from "node:timers/promises";
import type { AssistantMessageEvent } from "@earendil-works/pi-ai";
import { expect, test } from "vitest";
import { generatedModel, StepClock, TextSink } from "../../testing/replay/provider.ts";
import { newPartial } from "../../testing/replay/streams.ts";
import { decodeFixture } from "../fixture/decode.ts";
import { noPause } from "../play/pace.ts";
import { replayModels } from "../play/replay.ts";
import { RelayStream } from "../relay.ts";
import { FixtureRecorder } from "./recorder.ts";

type Stream = (stream: RelayStream, signal: AbortSignal | undefined) => void;

/** A recorder around a provider whose one stream is written by the test. */
function recording(write: Stream) {
  const sink = new TextSink();
  const clock = new StepClock();
  const recorder = new FixtureRecorder({ sink, clock });
  const provider = recorder.wrap({
    streamSimple: (_model: object, _context: object, options?: { signal?: AbortSignal }) => {
      const stream = new RelayStream();
      write(stream, options?.signal);
      return stream;
    },
  });
  return { sink, clock, recorder, provider };
}

/** The types of what a stream gives, and how it ends. */
async function outcomeOf(stream: AsyncIterable<AssistantMessageEvent>): Promise<string[]> {
  const seen: string[] = [];
  try {
    for await (const { type } of stream) seen.push(type);
  } catch (error) {
    seen.push(`threw ${(error as Error).message}`);
  }
  return seen;
}

const start = (): AssistantMessageEvent => ({ type: "start", partial: newPartial() });
const done = (): AssistantMessageEvent => ({
  type: "done",
  reason: "stop",
  message: { ...newPartial(), stopReason: "stop" },
});
const update = (): AssistantMessageEvent => ({
  type: "text_delta",
  contentIndex: 0,
  delta: "x",
  partial: newPartial(),
});

test.each<[string, Stream, string[], string]>([
  ["a stream that throws", (s) => [s.give(start()), s.fail(new Error("reset"))], ["start", "threw reset"], "threw"],
  ["a stream without a terminal event", (s) => [s.give(start()), s.close()], ["start"], "unterminated"],
  ["an update before the start", (s) => [s.give(update()), s.close()], ["text_delta"], "defect"],
  ["a second start", (s) => [s.give(start()), s.give(start()), s.close()], ["start", "start"], "defect"],
  [
    "an event after the end",
    (s) => [s.give(start()), s.give(done()), s.give(update()), s.close()],
    ["start", "done", "text_delta"],
    "defect",
  ],
])("[P2] [P3] [B3] %s reaches its reader as it is, and is played as it was", async (_, write, expected, kind) => {
  const { sink, recorder, provider } = recording(write);
  const seen = await outcomeOf(provider.streamSimple(generatedModel, {}));
  await recorder.close();

  const fixture = decodeFixture(sink.text);
  const models = replayModels(fixture, { pace: noPause });
  expect(seen).toEqual(expected);
  expect(fixture.requests[0]?.end?.kind).toBe(kind);
  expect(await outcomeOf(models.streamSimple(generatedModel, { messages: [] }))).toEqual(expected);
});

test("[P2] [P3] a call that throws is recorded, and throws again when it is played", async () => {
  const { sink, recorder, provider } = recording(() => {
    throw new Error("no key");
  });
  expect(() => provider.streamSimple(generatedModel, {})).toThrow("no key");
  await recorder.close();

  const models = replayModels(decodeFixture(sink.text));
  expect(() => models.streamSimple(generatedModel, { messages: [] })).toThrow("no key");
});

test("[P2] a burst is written when it is over, while the stream goes on", async () => {
  const partial = newPartial();
  const block = { type: "text" as const, text: "" };
  const { sink, provider } = recording((stream) => {
    stream.give({ type: "start", partial });
    partial.content.push(block);
    stream.give({ type: "text_start", contentIndex: 0, partial });
    for (const delta of ["a", "b"]) {
      block.text += delta;
      stream.give({ type: "text_delta", contentIndex: 0, delta, partial });
    }
  });
  provider.streamSimple(generatedModel, {});
  for (let turns = 0; turns < 5; turns++) await turn();

  const { requests, complete } = decodeFixture(sink.text);
  expect(complete).toBe(false);
  expect(requests[0]?.events.map(({ event }) => event.type)).toEqual([
    "start",
    "text_start",
    "text_delta",
    "text_delta",
  ]);
});

test("[P2] when the caller pulled its signal is recorded", async () => {
  const caller = new AbortController();
  const { sink, clock, recorder, provider } = recording((stream, signal) => {
    stream.give(start());
    signal?.addEventListener("abort", () => {
      const error = { ...newPartial(), stopReason: "aborted" as const };
      stream.give({ type: "error", reason: "aborted", error });
      stream.close();
    });
  });
  const seen = outcomeOf(provider.streamSimple(generatedModel, {}, { signal: caller.signal }));
  await turn();
  clock.step(40);
  caller.abort();
  expect(await seen).toEqual(["start", "error"]);
  await recorder.close();

  const [request] = decodeFixture(sink.text).requests;
  expect(request).toMatchObject({ abortedAt: 40, end: { at: 40, kind: "complete" } });
});

test("[P3] a recording that a kill cut short plays to its end and falls silent, until it is aborted", async () => {
  const { sink, provider } = recording((stream) => stream.give(start()));
  provider.streamSimple(generatedModel, {});
  for (let turns = 0; turns < 5; turns++) await turn();
  const models = replayModels(decodeFixture(sink.text), { pace: noPause });
  const caller = new AbortController();
  const iterator = models
    .streamSimple(generatedModel, { messages: [] }, { signal: caller.signal })
    [Symbol.asyncIterator]();

  expect((await iterator.next()).value).toMatchObject({ type: "start" });
  const next = iterator.next();
  for (let turns = 0; turns < 5; turns++) await turn();
  caller.abort();
  expect((await next).value).toMatchObject({ type: "error", reason: "aborted" });
  expect(await iterator.next()).toEqual({ value: undefined, done: true });
});
