/** Frames survive every store and are recovered as they were sent (B2, B4, E2). */
import { join } from "node:path";
import type { AssistantMessage, AssistantMessageEvent, AssistantMessageFrame, ToolCall } from "@earendil-works/pi-ai";
import { afterAll, describe, expect, test } from "vitest";
import { pendingAssistantFrames } from "../../addresses/builtins.ts";
import type { Storage } from "../../storage/contract/storage.ts";
import { appendList } from "../../storage/contract/writes.ts";
import { activate } from "../../testing/harness/deferred.ts";
import { done, openWorld } from "../../testing/harness/fakes.ts";
import { LiveResponse, text, thinking, toolCall } from "../../testing/harness/recording.ts";
import { fileStores, stores, temporaryFolder } from "../../testing/storage/stores.ts";
import { readPartial } from "./partial.ts";

const folders: ReturnType<typeof temporaryFolder>[] = [];
const newFolder = (): string => {
  const folder = temporaryFolder();
  folders.push(folder);
  return folder.path;
};
afterAll(() => {
  for (const folder of folders) folder.remove();
});

/** Streams what `act` makes, loses the process, and recovers in another one: what that shows, and what it settles. */
async function recovered(act: (live: LiveResponse) => AssistantMessageEvent[]) {
  const first = await openWorld();
  await first.lane.accept({ prompt: "Hi" });
  await activate(first);
  await first.provider.last.push(...act(new LiveResponse()));
  const second = await openWorld({}, first.storage, first.clock);
  const shown = (await second.lane.snapshot()).operation?.streamingMessage;
  const { outcome } = await activate(second);
  expect(await outcome).toMatchObject({ result: { status: "failed", error: { code: "attempts_exhausted" } } });
  const entry = (await second.lane.snapshot()).transcript.at(-1);
  const settled = entry?.type === "message" ? (entry.message as AssistantMessage) : undefined;
  return { shown: shown?.content, settled: settled?.content };
}

describe("[B2] a delta that ends in half a surrogate pair", () => {
  const halves = ["a\ud83d", "\ude00b"];

  test.each([
    [1, "a\ud83d"],
    [2, "a😀b"],
  ])("survives the crash that follows when %i halves have landed", async (landed, whole) => {
    const content = [text(whole)];
    const partial = await recovered((live) => [
      live.start(),
      live.open(text()),
      ...halves.slice(0, landed).map((half) => live.delta(0, half)),
    ]);
    expect(partial).toEqual({ shown: content, settled: content });
  });

  const address = pendingAssistantFrames("o", "r");
  const frames: AssistantMessageFrame[] = [
    { type: "start", partial: new LiveResponse().partial },
    { type: "text_start", contentIndex: 0, content: text() },
    ...halves.map((delta) => ({ type: "text_delta" as const, contentIndex: 0, delta })),
  ];
  const contentIn = async (storage: Storage) =>
    (await readPartial((query) => query(storage), "o", "r")).message?.content;

  test.each(stores)("is kept by the $name store", async ({ openIn }) => {
    const storage = await openIn(newFolder(), Date.now);
    for (const [index, content] of [undefined, [], [text()], [text("a\ud83d")], [text("a😀b")]].entries()) {
      expect(await contentIn(storage)).toEqual(content);
      const frame = frames[index];
      if (frame !== undefined) await storage.commit([appendList(address, frame)]);
    }
    await storage.close();
  });

  test.each(fileStores)("is kept by the file of the $name store", async ({ open }) => {
    const path = join(newFolder(), "session");
    const first = await open(path, Date.now);
    for (const frame of frames.slice(0, 3)) await first.commit([appendList(address, frame)]);
    first.kill();
    const second = await open(path, Date.now);
    expect(await contentIn(second)).toEqual([text("a\ud83d")]);
    await second.close();
  });
});

describe("[B5] what the end of a block says", () => {
  const final = toolCall({ id: "c9", name: "search", arguments: { to: 2 }, thoughtSignature: "t" });

  test("wins over the deltas before it, in what is shown and in what is settled", async () => {
    const content = [{ ...text("Hello!"), textSignature: "s" }, { ...thinking(""), redacted: true }, final];
    const partial = await recovered((live) => [
      live.start(),
      live.open(text()),
      live.delta(0, "hello"),
      live.end(0, content[0]),
      live.open(thinking()),
      live.delta(1, "hmm"),
      live.end(1, content[1]),
      live.open(toolCall()),
      live.delta(2, '{"at":1}'),
      live.end(2, final),
    ]);

    expect(partial).toEqual({ shown: content, settled: content });
  });
});

describe("[B5] tool arguments stay unvalidated:", () => {
  const odd = (value: unknown) => value as ToolCall["arguments"];

  test.each([
    ["of a tool that nobody knows", toolCall({ name: "", arguments: { "": null } })],
    ["that are no object", toolCall({ arguments: odd([1, "x"]) })],
    ["that are a text", toolCall({ arguments: odd("rm") })],
    ["that the deltas do not spell", toolCall({ arguments: { at: { deep: [[]] } } })],
  ])("a recovered partial keeps those %s", async (_what, call) => {
    const partial = await recovered((live) => [
      live.start(),
      live.open(toolCall()),
      live.delta(0, "{"),
      live.end(0, call),
    ]);
    expect(partial).toEqual({ shown: [call], settled: [call] });
  });

  test.each([
    ["", {}],
    ['{"at": [1, {"b": "hal', { at: [1, { b: "hal" }] }],
    ["no JSON", {}],
  ])("one that breaks off after %j keeps what that says", async (json, args) => {
    const content = [toolCall({ arguments: args })];
    const partial = await recovered((live) => [live.start(), live.open(toolCall()), live.delta(0, json)]);
    expect(partial).toEqual({ shown: content, settled: content });
  });

  test("a settled call runs with those that the provider gave", async () => {
    const seen: unknown[] = [];
    const world = await openWorld({
      hooks: {
        runTool(call) {
          seen.push(call.arguments);
          return { content: [] };
        },
      },
    });
    await world.lane.accept({ prompt: "Hi" });
    await activate(world);
    const live = new LiveResponse({ stopReason: "toolUse" });
    const events = [live.start(), live.open(toolCall({ arguments: { at: "not a number" } })), live.end(0)];
    await world.provider.last.push(...events, done(live.partial));

    expect(seen).toEqual([{ at: "not a number" }]);
  });
});
