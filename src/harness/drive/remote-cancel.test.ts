/** A cancelled deferred response, and what the provider is asked to give up (G4). */
import { describe, expect, test } from "vitest";
import { operationState } from "../../addresses/builtins.ts";
import { zeroUsage } from "../../storage/contract/usage-totals.ts";
import { setValue } from "../../storage/contract/writes.ts";
import {
  activate,
  beginPoll,
  crashAmidPoll,
  framesOf,
  handle,
  pending,
  pollOf,
  stateOf,
  suspend,
} from "../../testing/harness/deferred.ts";
import { assistant, beginning, done, openWorld, quiet, types, type World } from "../../testing/harness/fakes.ts";

/** Every way in which a provider can fail to cancel. */
const failures: [string, () => Promise<void>][] = [
  [
    "throws",
    () => {
      throw new Error("no such call");
    },
  ],
  ["rejects", () => Promise.reject(new Error("refused"))],
  ["never answers", () => new Promise(() => {})],
];

async function lastMessage(world: World) {
  const entry = (await world.lane.snapshot()).transcript.at(-1);
  return entry?.type === "message" ? { id: entry.id, message: entry.message } : undefined;
}

describe("a cancelled poll that a crash left unknown", () => {
  test.each([["succeeds", async () => {}] as [string, () => Promise<void>], ...failures])(
    "[F3] [G4] ends aborted with its committed partial, when the remote cancel %s",
    async (_how, cancelling) => {
      const { second, operationId } = await crashAmidPoll();
      let hooked = 0;
      const hooks = { afterResponse: () => void hooked++ as undefined };
      const third = await openWorld({ hooks }, second.storage, second.clock);
      third.provider.cancelling = cancelling;
      const { responseEntryId, usageId } = await pollOf(third, operationId);
      await third.lane.cancel();
      expect(third.provider.cancels).toEqual([]);
      expect(await third.lane.activate()).toMatchObject({ result: { status: "aborted", tipId: responseEntryId } });
      const message = { stopReason: "aborted", content: [{ text: "part" }], usage: zeroUsage() };
      expect(await lastMessage(third)).toMatchObject({ id: responseEntryId, message });
      expect(third.events).toContainEqual(
        expect.objectContaining({ type: "usage", row: expect.objectContaining({ id: usageId }), recovery: true }),
      );
      expect(await framesOf(third, operationId, responseEntryId)).toBe(0);
      expect(third.provider.cancels.map(({ handle }) => handle)).toEqual([handle()]);
      expect([third.provider.polls.length, third.provider.requests.length, hooked]).toEqual([0, 0, 0]);
      await quiet();
      expect(third.harness.fault).toBeUndefined();
    },
  );

  test("[E4] [F3] without a frame has the identity of the model that was polled", async () => {
    const first = await openWorld();
    await beginPoll(first);
    const second = await openWorld({}, first.storage, first.clock);
    await second.lane.cancel();
    await second.lane.activate({ permit: true });
    const message = { stopReason: "aborted", content: [], api: "fake-api", provider: "fake", model: "small" };

    expect(await lastMessage(second)).toMatchObject({ message });
    expect(second.provider.polls).toEqual([]);
  });

  test("[G4] the remote cancel starts before the settlement, and again when a crash undoes that", async () => {
    const { second } = await crashAmidPoll();
    await second.lane.cancel();
    second.storage.armed = true;
    await activate(second);
    expect(second.storage.parked.map(({ writes }) => writes.map(({ kind }) => kind))).toEqual([
      ["entry", "usage", "value", "list", "value"],
    ]);
    expect(second.provider.cancels).toHaveLength(1);
    await second.storage.crash(0);
    const third = await openWorld({}, second.storage, second.clock);
    expect(await third.lane.activate()).toMatchObject({ result: { status: "aborted" } });
    expect(third.provider.cancels).toHaveLength(1);
  });
});

describe("a suspended operation", () => {
  test.each(failures)("[F4] [G4] ends aborted without a response, when the remote cancel %s", async (_how, fails) => {
    const world = await openWorld();
    world.provider.cancelling = fails;
    await suspend(world);
    await world.lane.cancel();
    expect(await world.lane.activate({ permit: true })).toMatchObject({ result: { status: "aborted" } });
    expect((await world.lane.snapshot()).transcript).toHaveLength(2);
    expect(world.provider.cancels.map(({ handle }) => handle)).toEqual([handle()]);
    expect(world.provider.polls).toEqual([]);
    await quiet();
    expect(world.harness.fault).toBeUndefined();
  });

  test("[C7] nothing remote is cancelled before the cancel is durable", async () => {
    const world = await openWorld();
    await suspend(world);
    world.storage.armed = true;
    void world.lane.cancel();
    const { outcome } = await activate(world);
    expect(world.provider.cancels).toEqual([]);
    await world.storage.land();
    expect(world.provider.cancels).toHaveLength(1);
    await world.storage.land();
    expect(await outcome).toMatchObject({ result: { status: "aborted" } });
  });

  test("[F1] a cancel that is called while the answer is looked up ends the operation, too", async () => {
    const world = await openWorld();
    await suspend(world);
    const getEntries = world.storage.getEntries.bind(world.storage);
    world.storage.getEntries = (ids) => {
      world.storage.getEntries = getEntries;
      void world.lane.cancel();
      return getEntries(ids);
    };

    expect(await world.lane.activate()).toMatchObject({ result: { status: "aborted" } });
  });

  test.each(["handle", "model", "API of the model"])("without its %s is cancelled here alone", async (missing) => {
    const first = await openWorld();
    const operationId = await suspend(first);
    const state = await stateOf(first, operationId);
    if (missing === "handle" && state?.at === "deferred.suspended") {
      await first.storage.commit([setValue(operationState(operationId), { ...state, sourceEntryId: "nowhere" })]);
    }
    const world = await openWorld({}, first.storage, first.clock);
    const { model } = world.provider;
    if (missing === "model") world.provider.model = undefined;
    if (missing === "API of the model" && model !== undefined) world.provider.model = { ...model, api: "newer" };
    await world.lane.cancel();

    expect(await world.lane.activate()).toMatchObject({ result: { status: "aborted" } });
    expect(world.provider.cancels).toEqual([]);
  });
});

describe("a poll of this process", () => {
  test("[F1] [X12] is not sent when the cancel came while its intent was queued", async () => {
    const world = await openWorld();
    const operationId = await suspend(world);
    world.storage.armed = true;
    const { outcome } = await activate(world, { permit: true });
    const cancel = world.lane.cancel();
    await world.storage.land();
    const { responseEntryId } = await pollOf(world, operationId);
    expect(world.provider.cancels).toEqual([]);
    await world.storage.land();
    await cancel;
    world.storage.armed = false;
    await world.storage.land();
    expect(await outcome).toMatchObject({ result: { status: "aborted", tipId: responseEntryId } });
    expect(world.provider.polls).toEqual([]);
    expect(world.provider.cancels.map(({ handle }) => handle)).toEqual([handle()]);
    expect(await lastMessage(world)).toMatchObject({ id: responseEntryId, message: { stopReason: "aborted" } });
  });

  test("[X12] is not begun when the cancel was called before", async () => {
    const world = await openWorld();
    await suspend(world);
    void world.lane.cancel();

    expect(await world.lane.activate({ permit: true })).toMatchObject({ result: { status: "aborted" } });
    expect((await world.lane.snapshot()).transcript).toHaveLength(2);
    expect(world.provider.polls).toEqual([]);
  });

  test("[F2] settles with its own aborted message and its reported usage, without the hook", async () => {
    let hooked = 0;
    const world = await openWorld({ hooks: { afterResponse: () => void hooked++ as undefined } });
    const { operationId, outcome, poll } = await beginPoll(world);
    expect(hooked).toBe(1);
    const { responseEntryId } = await pollOf(world, operationId);
    await poll.push(...beginning("hello"));
    await world.lane.cancel();
    expect(poll.signal?.aborted).toBe(true);
    const usage = { ...zeroUsage(), output: 3 };
    await poll.push(done(assistant("hello", { stopReason: "aborted", usage })));
    expect(await outcome).toMatchObject({ result: { status: "aborted", tipId: responseEntryId } });
    expect(await lastMessage(world)).toMatchObject({ message: { stopReason: "aborted", usage } });
    expect(await framesOf(world, operationId, responseEntryId)).toBe(0);
    expect(hooked).toBe(1);
  });

  test("[F1] a cancel that landed wins over an answer that is not ready", async () => {
    const world = await openWorld();
    const { outcome, poll } = await beginPoll(world);
    await world.lane.cancel();
    await poll.push(...pending(handle("h1")));
    expect(await outcome).toMatchObject({ result: { status: "aborted" } });
    const last = await lastMessage(world);
    expect(last).toMatchObject({ message: { stopReason: "aborted" } });
    expect(last?.message).not.toHaveProperty("deferred");
  });
});

describe("a remote cancel", () => {
  async function cancelled(world: World): Promise<void> {
    await suspend(world);
    await world.lane.cancel();
    await world.lane.activate();
  }

  test.each(failures.slice(0, 2))("[G4] that %s is told, and faults nothing", async (_how, fails) => {
    const world = await openWorld();
    world.provider.cancelling = fails;
    await cancelled(world);
    await quiet();
    const told = world.events.filter((event) => event.type === "listener_error");
    expect(told).toMatchObject([{ kind: "provider", during: "cancelDeferred", error: expect.any(Error) }]);
    await world.lane.accept({ prompt: "more" });
  });

  test("[K1] that hangs holds up no close, whose signal reaches it; a late rejection reaches nobody", async () => {
    const world = await openWorld();
    let refuse: (error: Error) => void = () => {};
    world.provider.cancelling = () =>
      new Promise((_resolve, reject) => {
        refuse = reject;
      });
    await cancelled(world);
    const [{ signal } = { signal: undefined }] = world.provider.cancels;
    expect(signal?.aborted).toBe(false);
    await world.harness.close();
    expect(signal?.aborted).toBe(true);
    refuse(new Error("too late"));
    await quiet();
    expect(types(world.events)).not.toContain("listener_error");
  });

  test("[K2] is told of a fault by its signal", async () => {
    const world = await openWorld();
    world.provider.cancelling = () => new Promise(() => {});
    await cancelled(world);
    world.storage.armed = true;
    const accepting = world.lane.accept({ prompt: "more" });
    accepting.catch(() => {});
    await quiet();
    world.storage.parked[0]?.fail(new Error("disk full"));

    await expect(accepting).rejects.toMatchObject({ code: "harness_fault" });
    expect(world.provider.cancels[0]?.signal?.aborted).toBe(true);
  });
});
