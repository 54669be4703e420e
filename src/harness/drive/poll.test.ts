/** Polls of a deferred response, and the permit that pays for them (section G). */
import type { AssistantMessageEvent, DeferredHandle } from "@earendil-works/pi-ai";
import { describe, expect, test } from "vitest";
import { operationState } from "../../addresses/builtins.ts";
import { InvariantError } from "../../errors.ts";
import { zeroUsage } from "../../storage/contract/usage-totals.ts";
import { setValue } from "../../storage/contract/writes.ts";
import {
  activate,
  beginPoll,
  framesOf,
  handle,
  ListingStorage,
  pending,
  pollOf,
  ready,
  stateOf,
  suspend,
} from "../../testing/harness/deferred.ts";
import { assistant, beginning, done, openWorld, types, type World } from "../../testing/harness/fakes.ts";

/** A start and this end. */
function ended(changes: Parameters<typeof assistant>[1], text = ""): AssistantMessageEvent[] {
  return [...beginning("").slice(0, 1), done(assistant(text, changes))];
}

/** The stored responses, oldest first. */
async function responses(world: World) {
  const { transcript } = await world.lane.snapshot();
  return transcript.flatMap(({ id, ...entry }) =>
    entry.type === "message" && entry.message.role === "assistant" ? [{ id, message: entry.message }] : [],
  );
}

describe("[G2] a permit", () => {
  test("is needed to ask: without one nothing is sent and nothing written", async () => {
    const world = await openWorld();
    const operationId = await suspend(world);
    const before = await stateOf(world, operationId);
    world.storage.armed = true;

    expect(await world.lane.activate()).toEqual({ kind: "suspended", handle: handle(), poll: 0 });
    expect(world.storage.parked).toEqual([]);
    expect(world.provider.polls).toEqual([]);
    expect(await stateOf(world, operationId)).toEqual(before);
  });

  test("buys one poll, which checks once and carries a live signal", async () => {
    const world = await openWorld();
    const { outcome, poll } = await beginPoll(world);
    expect(poll.handle).toEqual(handle());
    expect(poll.options).toEqual({ wait: 0, signal: expect.any(AbortSignal) });
    expect(poll.signal?.aborted).toBe(false);
    await poll.push(...pending(handle("h1")));
    expect(await outcome).toEqual({ kind: "suspended", handle: handle("h1"), poll: 1 });
    expect(world.provider.polls).toHaveLength(1);
    expect(await world.lane.activate()).toEqual({ kind: "suspended", handle: handle("h1"), poll: 1 });
    expect(world.provider.polls).toHaveLength(1);
  });

  test("is kept until the response of that activation suspends, over a retry", async () => {
    const world = await openWorld({ retryPolicy: { maxAttempts: 2, baseDelayMs: 100 } });
    await world.lane.accept({ prompt: "Hi" });
    const { outcome } = await activate(world, { permit: true });
    await world.provider.last.push(done(assistant("", { stopReason: "error", errorMessage: "503 unavailable" })));
    await world.clock.set(1_100);
    await world.provider.last.push(...pending());
    await world.provider.lastPoll.push(...ready("all"));

    expect(await outcome).toMatchObject({ result: { status: "completed" } });
    expect(world.provider.polls).toHaveLength(1);
  });

  test("is not given by an activation that joins", async () => {
    const world = await openWorld();
    await world.lane.accept({ prompt: "Hi" });
    const { outcome } = await activate(world);
    const joined = await activate(world, { permit: true });
    await world.provider.last.push(...pending());

    expect(await joined.outcome).toEqual({ kind: "suspended", handle: handle(), poll: 0 });
    expect(await outcome).toEqual(await joined.outcome);
    expect(world.provider.polls).toEqual([]);
  });
});

describe("polls in a row", () => {
  test("[G3] count on, ask with the newest handle and have ids of their own", async () => {
    const world = await openWorld();
    const operationId = await suspend(world);
    const ids: string[] = [];
    for (const number of [1, 2, 3]) {
      const { outcome } = await activate(world, { permit: true });
      const state = await pollOf(world, operationId);
      ids.push(state.responseEntryId, state.usageId);
      expect(state.poll).toBe(number);
      expect(state.sourceEntryId).toBe((await responses(world)).at(-1)?.id);
      expect(world.provider.lastPoll.handle.id).toBe(`h${number - 1}`);
      await world.provider.lastPoll.push(...pending(handle(`h${number}`)));
      expect(await outcome).toEqual({ kind: "suspended", handle: handle(`h${number}`), poll: number });
      expect((await responses(world)).at(-1)?.id).toBe(state.responseEntryId);
    }

    expect(new Set(ids).size).toBe(6);
  });

  test("[G1] leave no frame list behind, whatever they ended with", async () => {
    const storage = new ListingStorage();
    const world = await openWorld({}, storage);
    const { poll, outcome } = await beginPoll(world);
    await poll.push(...pending(handle("h1")));
    await outcome;
    const last = await activate(world, { permit: true });
    await world.provider.lastPoll.push(...ready("all"));

    expect(await last.outcome).toMatchObject({ result: { status: "completed" } });
    expect([storage.lists, await storage.left()]).toEqual([3, 0]);
  });
});

describe("a poll", () => {
  test("[J1] [G1] streams and settles as a fresh response does", async () => {
    const world = await openWorld({
      hooks: { afterResponse: ({ message }) => ({ ...message, responseModel: "hooked" }) },
    });
    const { operationId, outcome, poll } = await beginPoll(world);
    const { responseEntryId, usageId } = await pollOf(world, operationId);
    world.events.length = 0;
    await poll.push(...beginning("hello"));
    expect(await framesOf(world, operationId, responseEntryId)).toBe(3);
    const usage = { ...zeroUsage(), input: 7 };
    await poll.push(done(assistant("hello", { usage })));
    expect(await outcome).toMatchObject({ result: { status: "completed", tipId: responseEntryId } });
    expect(await framesOf(world, operationId, responseEntryId)).toBe(0);
    expect(types(world.events)).toEqual([
      "message_start",
      "message_update",
      "message_update",
      "message_end",
      "entry_added",
      "usage",
      "operation_end",
    ]);
    expect((await responses(world)).at(-1)).toMatchObject({
      id: responseEntryId,
      message: { responseModel: "hooked", usage },
    });
    expect(world.events.at(-2)).toMatchObject({ row: { id: usageId, entryId: responseEntryId, usage } });
  });

  test("[C5] settles after its latest frame landed", async () => {
    const world = await openWorld();
    const { poll } = await beginPoll(world);
    world.storage.armed = true;
    await poll.push(...ready("all"));
    expect(world.storage.parked).toHaveLength(3);
    expect(types(world.events).filter((type) => type === "message_end")).toHaveLength(1);
    for (let frame = 0; frame < 3; frame++) await world.storage.land();
    expect(types(world.events).filter((type) => type === "message_end")).toHaveLength(2);
    expect(world.storage.parked[0]?.writes.map(({ kind }) => kind)).toEqual([
      "entry",
      "usage",
      "value",
      "list",
      "value",
    ]);
  });

  test("[D5] runs the tool calls of a ready answer, and [P5] asks on without the tickets", async () => {
    const call = { type: "toolCall" as const, id: "c1", name: "look", arguments: { at: 1 } };
    const world = await openWorld({
      hooks: { runTool: ({ name }) => ({ content: [{ type: "text", text: name }] }) },
    });
    const { outcome, poll } = await beginPoll(world);
    await poll.push(...ended({ stopReason: "toolUse", content: [call] }));
    const { messages } = world.provider.last.context;
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "toolResult"]);
    expect(messages[1]).toMatchObject({ content: [call] });
    await world.provider.last.push(...ready("seen"));
    expect(await outcome).toMatchObject({ result: { status: "completed" } });
  });

  test("[D5] completes with an answer that ran out of tokens", async () => {
    const world = await openWorld();
    const { outcome, poll } = await beginPoll(world);
    await poll.push(...ended({ stopReason: "length" }, "cut"));

    expect(await outcome).toMatchObject({ result: { status: "completed" } });
  });

  test("[D5] fails with an error that a fresh attempt would retry", async () => {
    const world = await openWorld({ retryPolicy: { maxAttempts: 3, baseDelayMs: 0 } });
    const { outcome, poll } = await beginPoll(world);
    await poll.push(...ended({ stopReason: "error", errorMessage: "503 service unavailable" }, "part"));

    expect(await outcome).toMatchObject({ result: { status: "failed", error: { code: "provider_error" } } });
    expect((await responses(world)).at(-1)).toMatchObject({ message: { stopReason: "error" } });
    expect(types(world.events)).not.toContain("retry_scheduled");
  });

  test("[Q6] that breaks the protocol ends its operation with an error, as any error of a poll does", async () => {
    const { outcome, poll } = await beginPoll(await openWorld());
    await poll.push(done(assistant("all")));
    expect(await outcome).toMatchObject({ result: { status: "failed", error: { code: "provider_error" } } });
  });

  test("[Q6] whose request throws ends its operation with an error", async () => {
    const world = await openWorld();
    world.provider.streamDeferred = () => {
      throw new Error("not supported");
    };
    await suspend(world);
    expect(await world.lane.activate({ permit: true })).toMatchObject({ result: { status: "failed" } });
  });
});

describe("[D5] the handle of a poll", () => {
  test.each<[string, DeferredHandle | undefined]>([
    ["of another provider", handle("h1", { provider: "other" })],
    ["of another model", handle("h1", { modelId: "large" })],
    ["of another API", handle("h1", { api: "other" })],
    ["that is missing", undefined],
  ])("%s fails the operation, in the transaction that stores it as an error", async (_name, deferred) => {
    const world = await openWorld();
    const { operationId, outcome, poll } = await beginPoll(world);
    const { responseEntryId } = await pollOf(world, operationId);
    world.storage.armed = true;
    await poll.push(...ended({ stopReason: "deferred", ...(deferred !== undefined && { deferred }) }));
    await world.storage.land();
    await world.storage.land();
    world.storage.armed = false;
    expect(world.storage.parked).toEqual([]);
    expect(await outcome).toMatchObject({ result: { status: "failed", error: { code: "invalid_deferred" } } });
    const last = (await responses(world)).at(-1);
    expect(last).toMatchObject({ id: responseEntryId, message: { stopReason: "error" } });
    expect(last?.message.deferred).toBeUndefined();
    expect(await framesOf(world, operationId, responseEntryId)).toBe(0);
  });
});

async function damage(world: World, operationId: string, sourceEntryId: string): Promise<World> {
  const state = await stateOf(world, operationId);
  if (state?.at !== "deferred.suspended") throw new Error("Not suspended");
  await world.storage.commit([setValue(operationState(operationId), { ...state, sourceEntryId })]);
  return openWorld({}, world.storage, world.clock);
}

describe("the handle that a poll asks with", () => {
  test.each([
    ["is not there", "nowhere"],
    ["holds none", "prompt"],
  ])("an entry that %s is a typed invariant error", async (_name, source) => {
    for (const permit of [false, true]) {
      const world = await openWorld();
      const operationId = await suspend(world);
      const [prompt] = (await world.lane.snapshot()).transcript;
      const damaged = await damage(world, operationId, source === "prompt" ? (prompt?.id ?? "") : source);
      expect((await damaged.lane.snapshot()).operation).not.toHaveProperty("deferred");
      await expect(damaged.lane.activate({ permit })).rejects.toMatchObject({ cause: expect.any(InvariantError) });
      expect(damaged.provider.polls).toEqual([]);
    }
  });

  test("[D5] that does not belong to the model any more fails the operation without a request", async () => {
    const world = await openWorld();
    const operationId = await suspend(world);
    const { model } = world.provider;
    if (model !== undefined) world.provider.model = { ...model, api: "newer-api" };
    const outcome = await world.lane.activate({ permit: true });

    expect(outcome).toMatchObject({ result: { status: "failed", error: { code: "invalid_deferred" } } });
    expect(await world.lane.result(operationId)).toMatchObject({ status: "failed" });
    expect(world.provider.polls).toEqual([]);
    expect(await responses(world)).toHaveLength(1);
  });

  test("of a model that is not known any more fails the operation, as for a fresh attempt", async () => {
    const world = await openWorld();
    await suspend(world);
    world.provider.model = undefined;
    const outcome = await world.lane.activate({ permit: true });

    expect(outcome).toMatchObject({ result: { status: "failed", error: { code: "unknown_model" } } });
    expect(world.provider.polls).toEqual([]);
  });

  test("is a copy: a provider that changes it changes no state", async () => {
    const world = await openWorld();
    const { poll } = await beginPoll(world);
    poll.handle.id = "changed";

    expect((await world.lane.snapshot()).operation?.deferred).toEqual({ handle: handle(), poll: 1 });
  });
});
