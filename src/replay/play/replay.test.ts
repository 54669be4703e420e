/** A harness whose provider is a fixture: the durable log of a settled conversation holds assembled messages alone. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { ReplayRefused } from "../../errors.ts";
import { openHarness } from "../../harness/harness.ts";
import type { Lane } from "../../harness/lane.ts";
import type { HarnessEvent } from "../../harness/listening/events.ts";
import type { ProviderModels } from "../../harness/options.ts";
import { deriveMessages } from "../../harness/reading/transcript.ts";
import type { Clock } from "../../session/clock.ts";
import { Session } from "../../session/session.ts";
import { JsonlStorage } from "../../storage/jsonl/jsonl.ts";
import { MemoryStorage } from "../../storage/memory/memory.ts";
import { recordedLogs } from "../../testing/replay/recorded-logs.ts";
import type { Fixture } from "../fixture/fixture.ts";
import { importSessionLog } from "../import/session-log.ts";
import { noPause, recordedPace } from "./pace.ts";
import { playRequest, replayModels } from "./replay.ts";

const folder = mkdtempSync(join(tmpdir(), "replay-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const fixtureOf = (name: string): Fixture => {
  const log = recordedLogs().find((recorded) => recorded.name.startsWith(name));
  if (log === undefined) throw new Error(`There is no recorded log ${name}`);
  return importSessionLog(log.text);
};

const modelIn = ({ requests }: Fixture) => {
  const { provider, id } = requests[0]?.model ?? { provider: "", id: "" };
  return { provider, modelId: id };
};

function harnessOver(storage: MemoryStorage | JsonlStorage, fixture: Fixture, models: ProviderModels) {
  return openHarness({
    session: new Session(storage),
    models,
    model: modelIn(fixture),
    hooks: { runTool: () => ({ content: [{ type: "text", text: "ok" }] }) },
  });
}

/** Prompts until the fixture has nothing left. */
async function converse(lane: Lane, models: { readonly remaining: number }): Promise<void> {
  while (models.remaining > 0) {
    await lane.accept({ prompt: "go on" });
    await lane.activate();
  }
}

test.each(recordedLogs())(
  "[P1] [P5] $name, replayed: no frame is left after compaction, and the assembled messages are all there",
  async ({ name, text }) => {
    const fixture = importSessionLog(text);
    const models = replayModels(fixture, { pace: noPause });
    const path = join(folder, name);
    const storage = await JsonlStorage.open(path);
    const harness = await harnessOver(storage, fixture, models);
    const lane = await harness.lane("main");
    await converse(lane, models);
    const framesWritten = readFileSync(path, "utf8").includes("pi.pending.assistant_frame");
    await storage.compact();
    const { transcript } = await lane.snapshot();
    await harness.close();

    const answers = transcript.filter((entry) => entry.type === "message" && entry.message.role === "assistant");
    expect(framesWritten).toBe(true);
    expect(readFileSync(path, "utf8")).not.toContain("pi.pending.assistant_frame");
    expect(answers).toHaveLength(fixture.requests.length);
    const messages = deriveMessages(transcript);
    expect(messages.filter(({ role }) => role === "assistant")).toHaveLength(fixture.requests.length);
    const calls = messages.flatMap((message) =>
      message.role === "assistant"
        ? message.content.flatMap((block) => (block.type === "toolCall" ? [block.id] : []))
        : [],
    );
    const results = messages.flatMap((message) => (message.role === "toolResult" ? [message.toolCallId] : []));
    expect(results).toEqual(calls);
  },
);

test("[P3] [P4] a cancel in the middle of a replayed answer leaves the aborted partial", async () => {
  const fixture = fixtureOf("goal");
  let bursts = 0;
  const models = replayModels(fixture, {
    pace: async (_gap, signal) => {
      if (++bursts > 12) await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    },
  });
  const told: HarnessEvent[] = [];
  const harness = await harnessOver(new MemoryStorage(), fixture, models);
  harness.on((event) => void told.push(event));
  const lane = await harness.lane("main");
  await lane.accept({ prompt: "go" });
  const activated = lane.activate();
  while (bursts <= 12) await turn();
  await lane.cancel();
  const outcome = await activated;
  const { transcript } = await lane.snapshot();
  await harness.close();

  expect(outcome).toMatchObject({ kind: "settled", result: { status: "aborted" } });
  const last = transcript.at(-1);
  const message = last?.type === "message" && last.message.role === "assistant" ? last.message : undefined;
  expect(message).toMatchObject({ stopReason: "aborted", errorMessage: "Request was aborted" });
  const deltas = told.flatMap((event) =>
    event.type === "message_update" && "delta" in event.event ? [event.event.delta] : [],
  );
  expect(message?.content[0]).toMatchObject({ type: "thinking", thinking: deltas.join("") });
  expect(deltas.length).toBeGreaterThan(5);
  expect(deriveMessages(transcript).map(({ role }) => role)).toEqual(["user"]);
});

test("[P3] the recorded times are kept, scaled, and cut where they are too long", async () => {
  const fixture = fixtureOf("goal");
  const request = fixture.requests[0];
  if (request === undefined) throw new Error("The fixture holds no request");
  let now = 0;
  const clock: Clock = {
    now: () => now,
    sleepUntil: async (timeMs) => {
      now = Math.max(now, timeMs);
    },
  };

  const spans: number[] = [];
  for (const speed of [1, 4]) {
    const began = now;
    for await (const _ of playRequest(request, recordedPace({ clock, speed })));
    spans.push(now - began);
  }
  const began = now;
  for await (const _ of playRequest(request, recordedPace({ clock, maxGapMs: 0 })));

  const recorded = request.events.at(-1)?.at ?? 0;
  expect(recorded).toBeGreaterThan(1_000);
  expect(spans).toEqual([recorded, recorded / 4]);
  expect(now - began).toBe(0);
});

test("[P3] more requests than were recorded, or another kind, are refused", () => {
  const fixture = fixtureOf("plan");
  const model = { provider: "p", id: "m" } as never;
  const models = replayModels({ ...fixture, requests: fixture.requests.slice(0, 1) });

  expect(() => models.streamDeferred(model, {} as never)).toThrow(ReplayRefused);
  models.streamSimple(model, { messages: [] });
  expect(() => models.streamSimple(model, { messages: [] })).toThrow("holds 1 requests, and all were played");
});
