/** Stored frames are those of pi-ai's encoder, byte for byte (B1). */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { AssistantMessageEvent, AssistantMessageFrame } from "@earendil-works/pi-ai";
import {
  AssistantMessageFrameEncoder,
  reduceAssistantMessageFrames,
} from "@earendil-works/pi-ai/utils/assistant-message-frame";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { activate } from "../../testing/harness/deferred.ts";
import { assistant, done, type FakeRequest, openWorld } from "../../testing/harness/fakes.ts";
import { LiveResponse, RecordingStorage, text, thinking, toolCall } from "../../testing/harness/recording.ts";
import { readStream } from "./stream.ts";

const unavailable = { stopReason: "error", errorMessage: "503 service unavailable" } as const;

/** Blocks of every kind, interleaved. A generator, because each event is read before the message grows on. */
function* everyKind(live: LiveResponse): Generator<AssistantMessageEvent> {
  yield live.start();
  yield live.open(text());
  yield live.delta(0, "ha");
  yield live.open(thinking());
  yield live.delta(0, "ha");
  yield live.delta(1, "hmm");
  yield live.end(1, { ...thinking("hmm!"), thinkingSignature: "signed" });
  yield live.open(toolCall());
  yield live.delta(2, '{"at":');
  yield live.delta(0, "");
  yield live.delta(2, "1}");
  yield live.end(2, toolCall({ arguments: { at: 1 } }));
  yield live.end(0);
  yield live.open(toolCall({ id: "c2", arguments: { to: "x" } }));
  yield live.delta(3, '{"to":');
  yield live.delta(3, '"x"}');
}

/** What one encoder of pi-ai makes of a whole stream. */
function encoded(events: Iterable<AssistantMessageEvent>): AssistantMessageFrame[] {
  const encoder = new AssistantMessageFrameEncoder();
  const frames: AssistantMessageFrame[] = [];
  for (const event of events) {
    const frame = encoder.encode(event);
    if (frame !== undefined) frames.push(frame);
  }
  return frames;
}

async function pushAll(request: Pick<FakeRequest, "push">, events: Iterable<AssistantMessageEvent>): Promise<void> {
  for (const event of events) await request.push(event);
}

const between = /^(durable|harness|session|storage)\/.*\.ts$/;
/** Asks which calls of a stream have ended (Q5); it neither makes nor reads a frame. */
const readsEvents = "harness/reading/open-calls.ts";

describe("stored frames", () => {
  test("[B1] are what pi-ai's encoder gives, byte for byte, and its reducer makes the message of them", async () => {
    const storage = new RecordingStorage();
    const world = await openWorld({}, storage);
    await world.lane.accept({ prompt: "Hi" });
    await activate(world);
    const live = new LiveResponse();
    await pushAll(world.provider.last, everyKind(live));
    const [stored = []] = storage.frameLists;

    expect(stored).toHaveLength(14);
    expect(JSON.stringify(stored)).toBe(JSON.stringify(encoded(everyKind(new LiveResponse()))));
    expect(reduceAssistantMessageFrames(stored)).toEqual(live.partial);
  });

  test("[B1] of every stream come from an encoder of its own", async () => {
    const storage = new RecordingStorage();
    const world = await openWorld({ retryPolicy: { maxAttempts: 2, baseDelayMs: 0 } }, storage);
    await world.lane.accept({ prompt: "Hi" });
    const { outcome } = await activate(world);
    await pushAll(world.provider.last, everyKind(new LiveResponse()));
    await world.provider.last.push(done(assistant("", unavailable)));
    await pushAll(world.provider.last, everyKind(new LiveResponse()));
    await world.provider.last.push(done(assistant("done")));
    expect(await outcome).toMatchObject({ result: { status: "completed" } });
    const expected = encoded(everyKind(new LiveResponse()));
    expect(storage.frameLists).toEqual([expected, expected]);
  });

  test("[B1] have no second codec: nothing between stream and store tells their kinds apart", () => {
    const sources = fileURLToPath(new URL("../../", import.meta.url));
    const files = readdirSync(sources, { recursive: true, encoding: "utf8" });
    const modules = files.filter((name) => between.test(name) && !/\.test\.ts$|^testing/.test(name));
    const kinds = /["'`](text|thinking|toolcall)_(start|delta|end|checkpoint)["'`]/;

    const telling = modules.filter((name) => kinds.test(readFileSync(join(sources, name), "utf8")));
    expect(telling).toEqual([readsEvents]);
    expect(modules.length).toBeGreaterThan(50);
  });

  test("[B2] begin with one of metadata, without the content that the message has by then", async () => {
    const storage = new RecordingStorage();
    const world = await openWorld({}, storage);
    await world.lane.accept({ prompt: "Hi" });
    await activate(world);
    const live = new LiveResponse({ responseId: "r1", content: [text("already")] });
    await world.provider.last.push(live.start());

    expect(storage.frameLists).toEqual([[{ type: "start", partial: { ...live.partial, content: [] } }]]);
  });

  test("[B2] leave out deltas that the snapshot at the start of their block covers; each is told all the same", async () => {
    const storage = new RecordingStorage();
    const world = await openWorld({}, storage);
    await world.lane.accept({ prompt: "Hi" });
    await activate(world);
    const live = new LiveResponse();
    const { push } = world.provider.last;
    await push(live.start(), live.open(text("hel")));
    for (const delta of ["he", "l", "", "lo", "!"]) await push(live.delta(0, delta));

    expect(storage.frameLists[0]?.slice(1)).toEqual([
      { type: "text_start", contentIndex: 0, content: text("hel") },
      { type: "text_delta", contentIndex: 0, delta: "lo" },
      { type: "text_delta", contentIndex: 0, delta: "!" },
    ]);
    expect(world.events.filter(({ type }) => type === "message_update")).toHaveLength(6);
  });
});

const piece = fc.array(fc.constantFrom("ha", "a", "\ud83d", "\ude00", "\u2028"), { maxLength: 3 });
const block = fc.record({
  make: fc.constantFrom(text, thinking),
  deltas: fc.array(
    piece.map((units) => units.join("")),
    { maxLength: 5 },
  ),
  /** How much of the deltas the message holds when the block starts. */
  ahead: fc.nat(6),
});

describe("any legal stream", () => {
  test("[B2] gives at most one frame an event, none for what is covered, and loses nothing", async () => {
    const streams = fc.tuple(fc.array(block, { minLength: 1, maxLength: 4 }), fc.array(fc.nat()));
    await fc.assert(
      fc.asyncProperty(streams, async ([blocks, picks]) => {
        const live = new LiveResponse();
        const frames: AssistantMessageFrame[] = [];
        const perEvent: number[] = [];
        const expected: number[] = [];
        const sink = {
          over: false,
          append: (frame: AssistantMessageFrame) => void frames.push(frame),
          tell: async () => void perEvent.push(frames.length),
        };
        await readStream(interleaved(live, blocks, picks, expected), sink);
        expect(perEvent).toEqual(expected);
        expect(frames.map(({ type }) => type)).not.toContain("done");
        expect(reduceAssistantMessageFrames(frames)?.content).toEqual(live.partial.content);
      }),
    );
  });
});

type Block = typeof block extends fc.Arbitrary<infer T> ? T : never;

/** Starts all blocks and mixes their deltas; notes how many frames there must be after each event. */
async function* interleaved(
  live: LiveResponse,
  blocks: readonly Block[],
  picks: readonly number[],
  expected: number[],
): AsyncGenerator<AssistantMessageEvent> {
  let frames = 0;
  const note = (gives: number): void => {
    frames += gives;
    expected.push(frames);
  };
  note(1);
  yield live.start();
  for (const { make, deltas, ahead } of blocks) {
    note(1);
    yield live.open(make(deltas.join("").slice(0, ahead)));
  }
  const open = blocks.map(({ deltas, ahead }, index) => ({ index, ahead, left: [...deltas], sent: 0 }));
  for (let turn = 0; open.some(({ left }) => left.length > 0); turn++) {
    const waiting = open.filter(({ left }) => left.length > 0);
    const next = waiting[(picks[turn] ?? turn) % waiting.length] as (typeof open)[number];
    const delta = next.left.shift() ?? "";
    next.sent += delta.length;
    note(delta.length > 0 && next.sent > next.ahead ? 1 : 0);
    yield live.delta(next.index, delta);
  }
  yield done(assistant("whatever"));
}
