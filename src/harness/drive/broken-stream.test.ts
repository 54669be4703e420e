/** When the provider misbehaves: a broken stream costs its response, and nothing else (Q6). */
import type { AssistantMessageEvent } from "@earendil-works/pi-ai";
import { describe, expect, test } from "vitest";
import { zeroUsage } from "../../storage/contract/usage-totals.ts";
import { MemoryStorage } from "../../storage/memory/memory.ts";
import { assistant, beginning, done, openWorld, quiet } from "../../testing/harness/fakes.ts";
import { openScriptedAgent, responsesOf } from "../../testing/harness/scripted.ts";

const answer = [...beginning("hello"), done(assistant("hello"))];
const [start, open, delta] = beginning("hel") as [AssistantMessageEvent, AssistantMessageEvent, AssistantMessageEvent];
const retryPolicy = { maxAttempts: 2 };

async function broken(...events: AssistantMessageEvent[]) {
  const agent = await openScriptedAgent(new MemoryStorage(), [events, answer], { retryPolicy });
  await agent.lane.accept({ prompt: "Hi" });
  expect(await agent.lane.activate()).toMatchObject({ result: { status: "completed" } });
  const [failed, retried] = await responsesOf(agent.lane);
  expect(retried).toMatchObject({ content: [{ text: "hello" }] });
  return { failed, events: agent.events };
}

describe("a stream that breaks its protocol", () => {
  test.each([
    ["starts twice", [start, open, delta, start]],
    ["goes on after its end", [start, open, delta, done(assistant("hel")), delta]],
    [
      "ends as pending",
      [start, open, delta, { ...done(assistant("hel")), message: assistant("", { stopReason: "pending" }) }],
    ],
    [
      "ends as aborted although nobody cancelled",
      [start, open, delta, done(assistant("hel", { stopReason: "aborted" }))],
    ],
    ["ends without a message", [start, open, delta, { type: "done", reason: "stop" }]],
  ] as unknown as [string, AssistantMessageEvent[]][])(
    "[Q6] and %s is an error with its live partial, retried",
    async (_what, events) => {
      const { failed } = await broken(...events);
      expect(failed).toMatchObject({ stopReason: "error", content: [{ text: "hel" }], usage: zeroUsage() });
      expect(failed?.errorMessage).toMatch(/^Provider protocol defect at .*outcome of the request is unknown\.$/);
    },
  );

  test("[Q6] before it has started is an error without content, from the model that was asked", async () => {
    const { failed } = await broken(delta);
    expect(failed).toMatchObject({
      stopReason: "error",
      content: [],
      provider: "fake",
      model: "small",
      api: "fake-api",
    });
  });

  test("[Q6] keeps the usage that was reported", async () => {
    const usage = { ...zeroUsage(), input: 3, totalTokens: 3 };
    const { failed } = await broken(start, done(assistant("hel", { usage })), delta);
    expect(failed).toMatchObject({ usage });
  });

  test("[Q6] is reported to listeners with its place", async () => {
    const { events } = await broken(start, start);
    expect(events).toContainEqual(
      expect.objectContaining({
        type: "listener_error",
        kind: "provider",
        error: expect.objectContaining({ where: "event 1 (start)" }),
      }),
    );
  });

  test("[Q6] [F2] after a cancel is aborted, and nobody is told of a defect", async () => {
    const world = await openWorld();
    await world.lane.accept({ prompt: "Hi" });
    const activation = world.lane.activate();
    await quiet();
    await world.provider.last.push(...beginning("hel"));
    await world.lane.cancel();
    await world.provider.last.push(start);

    expect(await activation).toMatchObject({ result: { status: "aborted" } });
    expect(await responsesOf(world.lane)).toMatchObject([{ stopReason: "aborted", content: [{ text: "hel" }] }]);
    expect(world.events.filter(({ type }) => type === "listener_error")).toEqual([]);
  });
});

describe("a request", () => {
  test.each([
    [
      "throws",
      () => {
        throw new Error("no such host");
      },
    ],
    ["is answered with what is no stream", () => undefined],
  ])("[Q6] that %s is an error of its operation, and another lane goes on", async (_what, streamSimple) => {
    const world = await openWorld();
    const other = await world.harness.lane("other");
    await other.accept({ prompt: "Hi" });
    const going = other.activate();
    await quiet();
    const { last } = world.provider;
    world.provider.streamSimple = streamSimple as unknown as typeof world.provider.streamSimple;
    await world.lane.accept({ prompt: "Hi" });

    expect(await world.lane.activate()).toMatchObject({
      result: { status: "failed", error: { code: "attempts_exhausted" } },
    });
    await last.push(...answer);
    expect(await going).toMatchObject({ result: { status: "completed" } });
  });

  test("[Q6] whose model cannot be looked up ends its operation, and the harness lives", async () => {
    const world = await openWorld();
    world.provider.getModel = () => {
      throw new Error("no registry");
    };
    await world.lane.accept({ prompt: "Hi" });

    expect(await world.lane.activate()).toMatchObject({
      result: { status: "failed", error: { code: "unknown_model" } },
    });
    expect(world.harness.fault).toBeUndefined();
  });
});
