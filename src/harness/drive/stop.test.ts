/** What a user may rely on when they press Stop, and when a provider says nothing any more (Q4). */
import type { AssistantMessage } from "@earendil-works/pi-ai";
import { describe, expect, test } from "vitest";
import { activate } from "../../testing/harness/deferred.ts";
import { assistant, beginning, done, openWorld, quiet, types, type World } from "../../testing/harness/fakes.ts";
import { streaming } from "../../testing/harness/streaming.ts";
import { openHarness } from "../harness.ts";

const patience = { stopGraceMs: 200, providerSilenceMs: 1_000 };

async function lastMessage({ lane }: World): Promise<Partial<AssistantMessage>> {
  const { transcript } = await lane.snapshot();
  const entry = transcript.at(-1);
  return entry?.type === "message" && entry.message.role === "assistant" ? entry.message : {};
}

const hello = [{ type: "text", text: "hello" }];

describe("[Q4] Stop ends the turn", () => {
  test("when the provider ignores its signal: after the grace, with the live partial", async () => {
    const world = await openWorld(patience);
    const { activation } = await streaming(world);
    await world.lane.cancel();
    await world.clock.set(1_199);
    expect((await world.lane.snapshot()).operation).not.toBeNull();
    await world.clock.set(1_200);

    expect(await activation).toMatchObject({ result: { status: "aborted" } });
    expect(await lastMessage(world)).toMatchObject({ stopReason: "aborted", content: hello });
    expect(types(world.events).filter((type) => type === "usage")).toHaveLength(1);
  });

  test("and what the provider says afterwards comes to nothing", async () => {
    const world = await openWorld(patience);
    const { activation } = await streaming(world);
    await world.lane.cancel();
    await world.clock.set(1_200);
    await activation;
    const before = world.events.length;
    await world.provider.last.push(...beginning("late").slice(2), done(assistant("late")));

    expect(world.events).toHaveLength(before);
    expect(await lastMessage(world)).toMatchObject({ content: hello });
    const next = await streaming(world);
    await world.provider.last.push(done(assistant("hello")));
    expect(await next.activation).toMatchObject({ result: { status: "completed" } });
  });

  test("when the provider has not said anything: with an empty message of the captured model", async () => {
    const world = await openWorld(patience);
    await world.lane.accept({ prompt: "Hi" });
    const { outcome } = await activate(world);
    await world.lane.cancel();
    await world.clock.set(1_200);

    expect(await outcome).toMatchObject({ result: { status: "aborted" } });
    expect(await lastMessage(world)).toMatchObject({ stopReason: "aborted", content: [], model: "small" });
  });

  test("when a hook hangs: its answer is dropped, however late it comes", async () => {
    let release: (message: AssistantMessage) => void = () => {};
    const afterResponse = () => new Promise<AssistantMessage>((resolve) => (release = resolve));
    const world = await openWorld({ ...patience, hooks: { afterResponse } });
    const { activation } = await streaming(world);
    await world.provider.last.push(done(assistant("hello")));
    await world.lane.cancel();
    await world.clock.set(1_200);
    expect(await activation).toMatchObject({ result: { status: "aborted" } });
    release(assistant("replaced"));
    await quiet();

    expect(await lastMessage(world)).toMatchObject({ stopReason: "aborted", content: hello });
  });

  test("when a listener never returns", async () => {
    const world = await openWorld(patience);
    world.harness.on((event) =>
      event.type === "message_update" && event.event.type === "text_delta" ? new Promise(() => {}) : undefined,
    );
    const { activation } = await streaming(world);
    await world.lane.cancel();
    await world.clock.set(1_200);

    expect(await activation).toMatchObject({ result: { status: "aborted" } });
    expect(await lastMessage(world)).toMatchObject({ stopReason: "aborted", content: hello });
  });

  test("before the grace when the provider heeds its signal", async () => {
    const world = await openWorld(patience);
    const { activation } = await streaming(world);
    await world.lane.cancel();
    await world.provider.last.push(done(assistant("its own end", { stopReason: "aborted" })));

    expect(await activation).toMatchObject({ result: { status: "aborted" } });
    expect(await lastMessage(world)).toMatchObject({ content: [{ text: "its own end" }] });
  });
});

describe("[Q4] a provider that is silent", () => {
  const retryPolicy = { maxAttempts: 2, baseDelayMs: 100 };

  test("for longer than the stated time is an error that is retried, and is told by its signal", async () => {
    const world = await openWorld({ ...patience, retryPolicy });
    const { activation } = await streaming(world);
    const [first] = world.provider.requests;
    await world.clock.set(1_999);
    expect(first?.signal?.aborted).toBe(false);
    await world.clock.set(2_000);
    expect(first?.signal?.aborted).toBe(true);
    expect(await lastMessage(world)).toMatchObject({ stopReason: "error", content: hello });
    await world.clock.set(2_100);
    expect(world.provider.last.signal?.aborted).toBe(false);
    await world.provider.last.push(...beginning("again"), done(assistant("again")));

    expect(await activation).toMatchObject({ result: { status: "completed" } });
  });

  test("may speak again and again within it", async () => {
    const world = await openWorld({ ...patience, retryPolicy });
    const { activation } = await streaming(world);
    for (const now of [1_999, 2_998, 3_997]) {
      await world.clock.set(now);
      await world.provider.last.push(...beginning("a").slice(2));
    }
    await world.provider.last.push(done(assistant("hello")));

    expect(await activation).toMatchObject({ result: { status: "completed" } });
    expect(world.provider.requests).toHaveLength(1);
  });

  test("is not one that waits for a slow listener", async () => {
    let free: () => void = () => {};
    const onEvent = ({ type }: { type: string }) =>
      type === "message_start" ? new Promise<void>((resolve) => (free = resolve)) : undefined;
    const world = await openWorld({ ...patience, retryPolicy, onEvent });
    await world.lane.accept({ prompt: "Hi" });
    const { outcome } = await activate(world);
    await world.provider.last.push(...beginning("hello"));
    await world.clock.set(5_000);
    free();
    await world.provider.last.push(done(assistant("hello")));

    expect(await outcome).toMatchObject({ result: { status: "completed" } });
    expect(world.provider.requests).toHaveLength(1);
  });
});

test.each([{ stopGraceMs: -1 }, { stopGraceMs: Number.NaN }, { providerSilenceMs: 0 }])(
  "[Q4] a time that makes no sense is refused: %o",
  async (times) => {
    const { session } = await openWorld();
    const options = { session, models: {} as never, model: { provider: "fake", modelId: "small" }, ...times };

    await expect(openHarness(options)).rejects.toThrow(TypeError);
  },
);
