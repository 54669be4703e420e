/** The retry policy and the wait between attempts (O4, E7). */
import { describe, expect, test } from "vitest";
import type { RetryPolicy } from "../../durable/operation.ts";
import { activate, framesOf, ListingStorage, stateOf } from "../../testing/harness/deferred.ts";
import {
  assistant,
  beginning,
  done,
  ManualClock,
  openWorld,
  ParkingStorage,
  quiet,
  type World,
} from "../../testing/harness/fakes.ts";

const unavailable = done(assistant("", { stopReason: "error", errorMessage: "503 service unavailable" }));
const again = (world: World) => world.events.filter((event) => event.type === "retry_scheduled");

/** Opens an operation under this policy and lets its first attempt fail. */
async function failedOnce(retryPolicy: Partial<RetryPolicy>, clock = new ManualClock()) {
  const world = await openWorld({ retryPolicy }, new ParkingStorage(), clock);
  const { operationId } = await world.lane.accept({ prompt: "Hi" });
  const { outcome } = await activate(world);
  await world.provider.last.push(unavailable);
  return { world, operationId, outcome };
}

async function stopReasons(world: World): Promise<string[]> {
  const { transcript } = await world.lane.snapshot();
  return transcript.flatMap((entry) =>
    entry.type === "message" && entry.message.role === "assistant" ? [entry.message.stopReason] : [],
  );
}

describe("[O4] an activation that does not wait for a retry", () => {
  const patience = { maxAttempts: 2, baseDelayMs: 100 };
  const hurried = { waitForRetry: false };
  const waiting = { kind: "waiting", notBefore: 1_100 };

  test("is answered at once when it joins a drive that waits, which goes on", async () => {
    const { world, outcome } = await failedOnce(patience);
    expect(await world.lane.activate(hurried)).toEqual(waiting);
    await world.clock.set(1_100);
    await world.provider.last.push(...beginning("hello"), done(assistant("hello")));

    expect(await outcome).toMatchObject({ result: { status: "completed" } });
  });

  test("is answered when the drive that it has joined begins to wait", async () => {
    const world = await openWorld({ retryPolicy: patience });
    await world.lane.accept({ prompt: "Hi" });
    const { outcome } = await activate(world);
    const joined = world.lane.activate(hurried);
    await world.provider.last.push(unavailable);
    expect(await joined).toEqual(waiting);
    await world.clock.set(1_100);
    await world.provider.last.push(unavailable);

    expect(await outcome).toMatchObject({ result: { error: { code: "attempts_exhausted" } } });
  });

  test("does not end the wait of one that has joined it", async () => {
    const world = await openWorld({ retryPolicy: patience });
    await world.lane.accept({ prompt: "Hi" });
    const first = world.lane.activate(hurried);
    await quiet();
    const patient = world.lane.activate();
    await world.provider.last.push(unavailable);
    expect(await first).toEqual(waiting);
    await world.clock.set(1_100);
    await world.provider.last.push(...beginning("hello"), done(assistant("hello")));

    expect(await patient).toMatchObject({ result: { status: "completed" } });
  });
});

describe("[O4] the rule", () => {
  test.each([
    ["fewer attempts and a longer delay", { maxAttempts: 1, baseDelayMs: 9_999 }],
    ["more attempts and a shorter delay", { maxAttempts: 9, baseDelayMs: 1, maxAgentDelayMs: 1 }],
    ["none", undefined],
  ])("is captured at accept: a reopen with %s changes nothing", async (_other, retryPolicy) => {
    const first = await openWorld({ retryPolicy: { maxAttempts: 3, baseDelayMs: 100 } });
    await first.lane.accept({ prompt: "Hi" });
    const options = retryPolicy === undefined ? {} : { retryPolicy };
    const second = await openWorld(options, first.storage, first.clock);
    await activate(second);
    await second.provider.last.push(unavailable);
    expect(again(second)).toMatchObject([{ attempt: 2, notBefore: 1_100 }]);
    await second.clock.set(1_100);
    const third = await openWorld(options, first.storage, first.clock);
    expect(await third.lane.activate({ waitForRetry: false })).toEqual({ kind: "waiting", notBefore: 1_300 });
    await third.clock.set(1_300);
    const last = await activate(third);
    await third.provider.last.push(unavailable);
    expect(await last.outcome).toMatchObject({ result: { error: { code: "attempts_exhausted" } } });
  });

  test("counts from the settlement, doubles with each attempt and stops at the longest delay", async () => {
    const retryPolicy = { maxAttempts: 5, baseDelayMs: 100, maxAgentDelayMs: 350 };
    const world = await openWorld({ retryPolicy });
    await world.lane.accept({ prompt: "Hi" });
    const { outcome } = await activate(world);
    await world.clock.set(2_000);
    const dueAt = [2_100, 2_300, 2_650, 3_000];
    for (const [index, due] of dueAt.entries()) {
      expect(world.provider.requests).toHaveLength(index + 1);
      await world.provider.last.push(unavailable);
      expect(again(world).at(-1)).toMatchObject({ attempt: index + 2, notBefore: due });
      await world.clock.set(due - 1);
      expect(world.provider.requests).toHaveLength(index + 1);
      await world.clock.set(due);
    }
    await world.provider.last.push(unavailable);

    expect(await outcome).toMatchObject({ result: { status: "failed", error: { code: "attempts_exhausted" } } });
    expect(world.provider.requests).toHaveLength(5);
    expect(again(world)).toHaveLength(4);
  });
});

describe("[E7] the cap", () => {
  test("counts interruptions and provider errors alike", async () => {
    const { world: first, operationId } = await failedOnce({ maxAttempts: 3, baseDelayMs: 100 });
    await first.clock.set(1_100);
    await first.provider.last.push(...beginning("part"));
    const second = await openWorld({}, first.storage, first.clock);
    const { outcome } = await activate(second);
    expect(again(second)).toMatchObject([{ attempt: 3, notBefore: 1_300 }]);
    await second.clock.set(1_300);
    await second.provider.last.push(unavailable);
    expect(await outcome).toMatchObject({ result: { operationId, error: { code: "attempts_exhausted" } } });
    expect(await stopReasons(second)).toEqual(["error", "error", "error"]);
  });

  test("that an interruption reaches ends the operation in the transaction that settles it", async () => {
    const { world: first } = await failedOnce({ maxAttempts: 2, baseDelayMs: 100 });
    await first.clock.set(1_100);
    await first.provider.last.push(...beginning("part"));
    const second = await openWorld({}, first.storage, first.clock);
    second.storage.armed = true;
    const { outcome } = await activate(second);
    await second.storage.land();

    expect(second.storage.parked).toEqual([]);
    expect(await outcome).toMatchObject({ result: { status: "failed", error: { code: "attempts_exhausted" } } });
    expect(second.provider.requests).toEqual([]);
  });

  test("counts an intent that landed, though no request was made", async () => {
    const first = await openWorld({ retryPolicy: { maxAttempts: 2, baseDelayMs: 100 } });
    const { operationId } = await first.lane.accept({ prompt: "Hi" });
    first.storage.armed = true;
    await activate(first);
    await first.storage.crash(1);
    const second = await openWorld({}, first.storage, first.clock);

    expect(await second.lane.activate({ waitForRetry: false })).toEqual({ kind: "waiting", notBefore: 1_100 });
    expect(await stateOf(second, operationId)).toMatchObject({ at: "assistant.retry_wait", nextAttempt: 2 });
  });
});

/** Wakes its sleepers when told, whatever the time. */
class RestlessClock extends ManualClock {
  readonly #asleep: (() => void)[] = [];

  override sleepUntil(): Promise<void> {
    return new Promise((resolve) => this.#asleep.push(resolve));
  }

  async wake(): Promise<void> {
    for (const wake of this.#asleep.splice(0)) wake();
    await quiet();
  }
}

test("[O4] a clock that wakes too early does not shorten the wait", async () => {
  const clock = new RestlessClock();
  const { world } = await failedOnce({ maxAttempts: 2, baseDelayMs: 100 }, clock);
  await clock.wake();
  await clock.wake();
  expect(world.provider.requests).toHaveLength(1);
  await clock.set(1_100);
  await clock.wake();
  expect(world.provider.requests).toHaveLength(2);
});

describe("[O4] a crash during the wait", () => {
  const retryPolicy = { maxAttempts: 2, baseDelayMs: 100 };

  test("does not begin the wait again", async () => {
    const { world: first } = await failedOnce(retryPolicy);
    const second = await openWorld({}, first.storage, new ManualClock(1_060));
    const { outcome } = await activate(second);
    await second.clock.set(1_099);
    expect(second.provider.requests).toEqual([]);
    await second.clock.set(1_100);
    await second.provider.last.push(...beginning("all"), done(assistant("all")));
    expect(await outcome).toMatchObject({ result: { status: "completed" } });
  });

  test("that outlasts it leaves nothing to wait for", async () => {
    const { world: first } = await failedOnce(retryPolicy);
    const second = await openWorld({}, first.storage, new ManualClock(1_100));
    await activate(second, { waitForRetry: false });

    expect(second.provider.requests).toHaveLength(1);
  });

  test.each(["lived through", "reopened into"])("a clock that steps back, %s, only lengthens it", async (how) => {
    const { world: first } = await failedOnce(retryPolicy);
    const reopened = () => openWorld({}, first.storage, new ManualClock(400));
    const world = how === "reopened into" ? await reopened() : first;
    if (world !== first) await activate(world);
    await world.clock.set(400);
    const before = world.provider.requests.length;
    await world.clock.set(1_099);
    expect(world.provider.requests).toHaveLength(before);
    await world.clock.set(1_100);
    expect(world.provider.requests).toHaveLength(before + 1);
  });

  test("[F4] and a cancel after it end the operation without a request or a response", async () => {
    const { world: first } = await failedOnce(retryPolicy);
    const second = await openWorld({ retryPolicy }, first.storage, new ManualClock());
    const { outcome } = await activate(second);
    await second.lane.cancel();

    expect(await outcome).toMatchObject({ result: { status: "aborted" } });
    expect(second.provider.requests).toEqual([]);
    expect(await stopReasons(second)).toEqual(["error"]);
  });
});

describe("each attempt", () => {
  test("[N2] has a list of its own; [E8] the error before it stays in the transcript and out of the request", async () => {
    const storage = new ListingStorage();
    const world = await openWorld({ retryPolicy: { maxAttempts: 2, baseDelayMs: 0 } }, storage);
    const { operationId } = await world.lane.accept({ prompt: "Hi" });
    const { outcome } = await activate(world);
    const ids: string[] = [];
    for (const text of ["one", "two"]) {
      await world.provider.last.push(...beginning(text));
      const state = await stateOf(world, operationId);
      if (state?.at !== "assistant.effect_pending") throw new Error("No attempt is pending");
      ids.push(state.responseEntryId);
      expect(await framesOf(world, operationId, state.responseEntryId)).toBe(3);
      expect([storage.lists, await storage.left()]).toEqual([ids.length, 1]);
      const changes = { stopReason: "error", errorMessage: "503 unavailable" } as const;
      await world.provider.last.push(done(assistant(text, text === "one" ? changes : {})));
    }
    expect(await outcome).toMatchObject({ result: { status: "completed" } });
    expect(new Set(ids).size).toBe(2);
    expect(await storage.left()).toBe(0);
    const { transcript } = await world.lane.snapshot();
    expect(transcript.slice(1).map(({ id }) => id)).toEqual(ids);
    expect(await stopReasons(world)).toEqual(["error", "stop"]);
    expect(world.provider.last.context.messages.map(({ role }) => role)).toEqual(["user"]);
  });
});
