/** A poll that lost its process: it stays, is replaced, or is settled (section G). */
import { describe, expect, test } from "vitest";
import { Closed } from "../../errors.ts";
import { Session } from "../../session/session.ts";
import {
  activate,
  beginPoll,
  crashAmidPoll,
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

describe("a poll that a crash left unknown", () => {
  test("[G2] stays as it is without a permit, and nothing is asked", async () => {
    const { second, operationId } = await crashAmidPoll();
    const before = await pollOf(second, operationId);
    second.storage.armed = true;

    expect(await second.lane.activate()).toEqual({ kind: "suspended", handle: handle(), poll: 1 });
    expect(second.storage.parked).toEqual([]);
    expect([second.provider.polls, second.provider.requests, second.provider.cancels]).toEqual([[], [], []]);
    expect(await pollOf(second, operationId)).toEqual(before);
  });

  test("[I1] shows its committed partial, before and after an activation", async () => {
    const { second, first } = await crashAmidPoll();
    const { tipId } = await first.lane.snapshot();
    for (const _moment of ["restored", "activated"]) {
      const { operation, ...lane } = await second.lane.snapshot();
      expect(operation).toMatchObject({
        at: "deferred.effect_pending",
        driven: false,
        streamingMessage: { content: [{ text: "part" }] },
        deferred: { handle: handle(), poll: 1 },
      });
      // [I2] The transcript holds the prompt and the suspended response.
      expect([lane.tipId, lane.transcript.length]).toEqual([tipId, 2]);
      await second.lane.activate();
    }
  });

  test("[G3] [R9] is replaced with a permit: one transaction, fresh ids, the same number", async () => {
    const { second, operationId } = await crashAmidPoll();
    const old = await pollOf(second, operationId);
    expect(await framesOf(second, operationId, old.responseEntryId)).toBe(3);
    second.storage.armed = true;
    const { outcome } = await activate(second, { permit: true });
    expect(second.provider.polls).toEqual([]);
    const [intent] = second.storage.parked;
    expect(intent?.writes).toMatchObject([
      { kind: "list", op: "delete", key: `${operationId}:${old.responseEntryId}` },
      { kind: "value", op: "set", value: { at: "deferred.effect_pending", poll: old.poll } },
    ]);
    // [I1] Until the intent is durable the old partial is what there is: the lane is asked at its turn.
    await second.storage.land();
    second.storage.armed = false;
    const state = await pollOf(second, operationId);
    expect(state).toEqual({ ...old, responseEntryId: state.responseEntryId, usageId: state.usageId });
    expect(new Set([state.responseEntryId, state.usageId, old.responseEntryId, old.usageId]).size).toBe(4);
    expect(await framesOf(second, operationId, old.responseEntryId)).toBe(0);
    expect((await second.lane.snapshot()).operation).not.toHaveProperty("streamingMessage");
    expect(second.provider.lastPoll.handle).toEqual(handle());
    await second.provider.lastPoll.push(...beginning("new"));
    expect(await framesOf(second, operationId, state.responseEntryId)).toBe(3);
    await second.provider.lastPoll.push(...pending(handle("h1")).slice(1));
    expect(await outcome).toEqual({ kind: "suspended", handle: handle("h1"), poll: 1 });
  });

  test("[C4] takes no frame of the stream that was lost", async () => {
    const { first, second, operationId } = await crashAmidPoll();
    const old = await pollOf(second, operationId);
    await activate(second, { permit: true });
    const { responseEntryId } = await pollOf(second, operationId);
    await second.session.finalize("main", operationId, { status: "aborted" });
    await second.provider.lastPoll.push(...beginning("late"));

    expect(await framesOf(second, operationId, responseEntryId)).toBe(0);
    expect(await framesOf(second, operationId, old.responseEntryId)).toBe(0);
    expect([first, second].map(({ harness }) => harness.fault)).toEqual([undefined, undefined]);
  });

  test.each([false, true])("[X14] a crash at the intent, landed: %s, asks the same question again", async (landed) => {
    const first = await openWorld();
    const operationId = await suspend(first);
    first.storage.armed = true;
    await activate(first, { permit: true });
    await first.storage.crash(landed ? 1 : 0);
    const second = await openWorld({}, first.storage, first.clock);
    expect((await stateOf(second, operationId))?.at).toBe(landed ? "deferred.effect_pending" : "deferred.suspended");
    expect(await second.lane.activate()).toEqual({ kind: "suspended", handle: handle(), poll: landed ? 1 : 0 });
    const { outcome } = await activate(second, { permit: true });
    expect((await pollOf(second, operationId)).poll).toBe(1);
    await second.provider.lastPoll.push(...ready("all"));
    expect(await outcome).toMatchObject({ result: { status: "completed" } });
  });
});

describe("crash at every commit of a replaced poll", () => {
  /** Replaces an unknown poll and crashes after `at` commits, with one more landed or not; then goes on to the end. */
  async function run(at: number, landed: boolean) {
    const storage = new ListingStorage();
    const first = await openWorld({}, storage);
    const { operationId, poll } = await beginPoll(first);
    await poll.push(...beginning("part"));
    const second = await openWorld({}, storage, first.clock);
    storage.armed = true;
    let commits = 0;
    const land = async () => {
      for (; storage.parked.length > 0 && commits < at; commits++) await storage.land();
    };
    await activate(second, { permit: true });
    await land();
    for (const event of ready("all")) {
      await second.provider.polls[0]?.push(event);
      await land();
    }
    await storage.crash(landed ? 1 : 0);
    const third = await openWorld({}, storage, first.clock);
    await finish(third);
    return { third, operationId, storage };
  }

  async function finish(world: World): Promise<void> {
    if ((await world.lane.snapshot()).operation === null) return;
    const { outcome } = await activate(world, { permit: true });
    if (world.provider.polls.length > 0) await world.provider.lastPoll.push(...ready("all"));
    await outcome;
  }

  const points = [0, 1, 2, 3, 4, 5].flatMap((at) => [[at, false] as const, [at, true] as const]);
  test.each(points)("[G3] [N12] after %i commits, one more landed: %s", async (at, landed) => {
    const { third, operationId, storage } = await run(at, landed);
    expect(await third.lane.result(operationId)).toMatchObject({ status: "completed" });
    const { transcript } = await third.lane.snapshot();
    expect(transcript).toHaveLength(3);
    expect(transcript.at(-1)).toMatchObject({ message: { stopReason: "stop", content: [{ text: "all" }] } });
    expect(await storage.left()).toBe(0);
  });
});

describe("a live poll", () => {
  test("[I1] shows the newest local partial, ahead of the store, with the handle and the number", async () => {
    const world = await openWorld();
    const { poll } = await beginPoll(world);
    world.storage.armed = true;
    await poll.push(...beginning("hello"));
    const { operation } = await world.lane.snapshot();

    expect(operation).toMatchObject({
      at: "deferred.effect_pending",
      driven: true,
      streamingMessage: { content: [{ text: "hello" }] },
      deferred: { handle: handle(), poll: 1 },
    });
  });

  test("[I2] shows no partial when it is suspended again, but what the next poll asks for", async () => {
    const world = await openWorld();
    const { poll, outcome } = await beginPoll(world);
    await poll.push(...pending(handle("h1")));
    await outcome;
    const { operation } = await world.lane.snapshot();

    expect(operation).toMatchObject({ at: "deferred.suspended", deferred: { handle: handle("h1"), poll: 1 } });
    expect(operation).not.toHaveProperty("streamingMessage");
  });

  test("[K1] is abandoned by a close, which waits for commits only", async () => {
    const world = await openWorld();
    const { operationId, outcome, poll } = await beginPoll(world);
    world.storage.armed = true;
    await poll.push(...beginning("hello"));
    const closing = world.harness.close();
    await expect(outcome).rejects.toThrow(Closed);
    expect(poll.signal?.aborted).toBe(true);
    expect((await pollOf(world, operationId)).poll).toBe(1);
    while (world.storage.parked.length > 0) await world.storage.land();
    await closing;
  });

  test("[K3] is ended by a finalization, which deletes its list and ignores what comes", async () => {
    const world = await openWorld();
    const { operationId, outcome, poll } = await beginPoll(world);
    await poll.push(...beginning("hello"));
    const { responseEntryId } = await pollOf(world, operationId);
    world.storage.armed = true;
    const finalized = world.session.finalize("main", operationId, { status: "failed" });
    // [R4] An append that is queued behind the finalization finds nobody who owns it.
    await poll.push(...beginning("more").slice(2));
    await world.storage.land();
    const result = await finalized;
    expect(await outcome).toEqual({ kind: "settled", result });
    expect(poll.signal?.aborted).toBe(true);
    await poll.push(done(assistant("hello")));
    expect(world.storage.parked).toEqual([]);
    world.storage.armed = false;
    expect(await framesOf(world, operationId, responseEntryId)).toBe(0);
    expect((await world.lane.snapshot()).transcript).toHaveLength(2);
    expect(types(world.events).filter((type) => type === "operation_end")).toHaveLength(1);
  });
});

describe("[K3] finalization from outside", () => {
  test("ends a suspended operation, and the lane takes the next one", async () => {
    const world = await openWorld();
    const operationId = await suspend(world);
    const result = await world.session.finalize("main", operationId, { status: "aborted" });
    expect(await world.lane.snapshot()).toMatchObject({ operation: null, lastResult: result });
    await world.lane.accept({ prompt: "again" });
  });

  test("deletes the list of an unknown poll without a harness", async () => {
    const { first, operationId } = await crashAmidPoll();
    const { responseEntryId } = await pollOf(first, operationId);
    const offline = new Session(first.storage, { clock: first.clock });
    await offline.finalize("main", operationId, { status: "aborted" });

    expect(await framesOf(first, operationId, responseEntryId)).toBe(0);
    expect(await stateOf(first, operationId)).toBeUndefined();
  });
});
