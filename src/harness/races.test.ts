/** The race rows, each driven by hand over a store that waits. */
import { describe, expect, test } from "vitest";
import { operationResult, operationState } from "../addresses/builtins.ts";
import type { Entry } from "../durable/entries.ts";
import { wrapStorage } from "../storage/wrap-storage.ts";
import {
  assistant,
  beginning,
  done,
  openWorld,
  ParkingStorage,
  quiet,
  types,
  type World,
} from "../testing/harness/fakes.ts";

const retryPolicy = { maxAttempts: 2, baseDelayMs: 100 };
const failure = assistant("", { stopReason: "error", errorMessage: "503 service unavailable" });

async function accepted(world: World): Promise<string> {
  return (await world.lane.accept({ prompt: "Hi" })).operationId;
}

/** Starts an activation whose end the test does not wait for. */
function activate(world: World) {
  const activation = world.lane.activate();
  activation.catch(() => {});
  return activation;
}

async function landAll(storage: ParkingStorage): Promise<void> {
  while (storage.parked.length > 0) await storage.land();
}

describe("races", () => {
  test.each(["cancel", "settlement"])("[X1] %s first", async (first) => {
    const world = await openWorld();
    await accepted(world);
    const activation = activate(world);
    await quiet();
    await world.provider.last.push(...beginning("hello"));
    world.storage.armed = true;
    if (first === "cancel") void world.lane.cancel();
    await world.provider.last.push(done(assistant("hello")));
    const late = first === "cancel" ? undefined : world.lane.cancel();
    await landAll(world.storage);
    await late;
    expect(await activation).toMatchObject({ result: { status: "aborted" } });
    const { transcript } = await world.lane.snapshot();
    expect(transcript.at(-1)).toMatchObject({ message: { stopReason: first === "cancel" ? "aborted" : "stop" } });
  });

  test.each(["finalization", "settlement"])("[X6] %s first: one terminal transaction", async (first) => {
    const world = await openWorld();
    const operationId = await accepted(world);
    const activation = activate(world);
    await quiet();
    await world.provider.last.push(...beginning("hello"));
    world.storage.armed = true;
    const finalize = () => world.session.finalize("main", operationId, { status: "aborted" });
    const early = first === "finalization" ? finalize() : undefined;
    await world.provider.last.push(done(assistant("hello")));
    const late = early ?? finalize();
    await landAll(world.storage);
    const result = await late;
    expect(await activation).toEqual({ kind: "settled", result });
    expect((await world.storage.getValue(operationResult(operationId)))?.value).toEqual(result);
    expect(types(world.events).filter((type) => type === "operation_end")).toHaveLength(1);
    const { transcript } = await world.lane.snapshot();
    expect(transcript).toHaveLength(first === "finalization" ? 1 : 2);
  });

  test("[X8] a cancel before the recovery settlement makes it aborted, without a retry", async () => {
    const first = await openWorld({ retryPolicy });
    await accepted(first);
    activate(first);
    await quiet();
    await first.provider.last.push(...beginning("hello"));
    const second = await openWorld({ retryPolicy }, first.storage, first.clock);
    const cancel = second.lane.cancel();
    const activation = activate(second);
    await cancel;

    expect(await activation).toMatchObject({ result: { status: "aborted" } });
    expect(types(second.events)).not.toContain("retry_scheduled");
  });

  test("[X11] no request after a finalization in retry wait", async () => {
    const world = await openWorld({ retryPolicy });
    const operationId = await accepted(world);
    const activation = activate(world);
    await quiet();
    await world.provider.last.push(done(failure));
    const result = await world.session.finalize("main", operationId, { status: "aborted" });
    expect(await activation).toEqual({ kind: "settled", result });
    await world.clock.set(9_999);
    expect(world.provider.requests).toHaveLength(1);
  });

  test("[X12] a cancel before the intent makes no request and no response", async () => {
    const world = await openWorld();
    await accepted(world);
    const cancel = world.lane.cancel();
    const activation = activate(world);
    await cancel;

    expect(await activation).toMatchObject({ result: { status: "aborted" } });
    expect((await world.lane.snapshot()).transcript).toHaveLength(1);
    expect(world.provider.requests).toHaveLength(0);
  });

  test("[X13] a close during recovery leaves nothing or all, and the reopen repeats it", async () => {
    const first = await openWorld({ retryPolicy });
    await accepted(first);
    activate(first);
    await quiet();
    await first.provider.last.push(...beginning("hello"));
    const shared = first.storage;
    const second = await openWorld({ retryPolicy }, unclosable(shared), first.clock);
    shared.armed = true;
    activate(second);
    await quiet();
    const closing = second.harness.close();
    expect(shared.parked).toHaveLength(1);
    await shared.land();
    await closing;
    shared.armed = false;
    const third = await openWorld({ retryPolicy }, shared, first.clock);
    expect(await third.lane.activate({ waitForRetry: false })).toEqual({ kind: "waiting", notBefore: 1_100 });
    expect((await third.lane.snapshot()).transcript).toHaveLength(2);
  });

  test("a listener may accept the next operation as soon as the one before ended", async () => {
    let world: World | undefined;
    let next: Promise<unknown> | undefined;
    world = await openWorld({
      onEvent: (event) => {
        if (event.type !== "operation_end" || next !== undefined) return;
        next = world?.lane.accept({ prompt: "more" }).then(() => world?.lane.activate());
        next?.catch(() => {});
      },
    });
    await accepted(world);
    activate(world);
    await quiet();
    await world.provider.last.push(...beginning("hello"), done(assistant("hello")));

    expect(world.provider.requests).toHaveLength(2);
  });

  test("[E9] a repeatable tool restarts with the same result id", async () => {
    const call = { type: "toolCall" as const, id: "c1", name: "look", arguments: {} };
    const ids: string[] = [];
    const note = ({ resultEntryId }: { resultEntryId: string }) => {
      ids.push(resultEntryId);
      return new Promise<never>(() => {});
    };
    const never = { hooks: { runTool: note }, toolPolicy: { repeatable: ["look"] } };
    const first = await openWorld(never);
    const operationId = await accepted(first);
    activate(first);
    await quiet();
    const [start] = beginning("");
    if (start === undefined) throw new Error("no start");
    await first.provider.last.push(start, done(assistant("", { stopReason: "toolUse", content: [call] })));
    const second = await openWorld(never, first.storage, first.clock);
    activate(second);
    await quiet();
    expect((await first.storage.getValue(operationState(operationId)))?.value.at).toBe("tools");
    expect(ids).toHaveLength(2);
    expect(ids[0]).toBe(ids[1]);
    // [F1] A cancel that was called before keeps the runner from starting.
    const third = await openWorld(never, first.storage, first.clock);
    void third.lane.cancel();
    expect(await third.lane.activate()).toMatchObject({ result: { status: "aborted" } });
    expect(ids).toHaveLength(2);
  });
});

describe("crash at every commit", () => {
  /** Runs one operation to its end, with a crash before or after commit number `at`; returns the transcript. */
  async function run(at: number, landed: boolean): Promise<{ entries: Entry[]; commits: number; left: number }> {
    const storage = new ParkingStorage();
    const before = await openWorld({ retryPolicy }, storage);
    await accepted(before);
    storage.armed = true;
    let commits = 0;
    const step = async () => {
      while (storage.parked.length > 0 && commits < at) {
        commits++;
        await storage.land();
      }
    };
    activate(before);
    await quiet();
    await step();
    const request = before.provider.requests[0];
    for (const event of [...beginning("hello"), done(assistant("hello"))]) {
      await request?.push(event);
      await step();
    }
    if (landed) storage.parked.shift()?.land();
    await quiet();
    storage.parked.length = 0;
    storage.armed = false;
    const after = await openWorld({ retryPolicy }, storage, before.clock);
    await finish(after);
    const { transcript } = await after.lane.snapshot();
    const left = (await storage.scanValues({ namespace: "pi.op.state", key: "", kind: "value" })).length;
    return { entries: transcript, commits, left };
  }

  async function finish(world: World): Promise<void> {
    const { operation } = await world.lane.snapshot();
    if (operation === null) return;
    const activation = world.lane.activate();
    await quiet();
    await world.clock.set(10_000);
    if (world.provider.requests.length > 0) {
      await world.provider.last.push(...beginning("again"), done(assistant("again")));
    }
    await activation;
  }

  test.each(
    Array.from({ length: 7 }, (_, at) => [at, false] as const).flatMap(
      ([at]) =>
        [
          [at, false],
          [at, true],
        ] as const,
    ),
  )("[E9] crash after %i commits, one more landed: %s", async (at, landed) => {
    const { entries, left } = await run(at, landed);
    expect(left).toBe(0);
    const responses = entries.filter((entry) => entry.type === "message" && entry.message.role === "assistant");
    const last = responses.at(-1);
    expect(last).toMatchObject({ message: { stopReason: "stop" } });
    expect(responses.length).toBeLessThanOrEqual(2);
  });
});

/** A store that outlives the close of one session over it. */
const unclosable = (storage: ParkingStorage): ParkingStorage => wrapStorage(storage, { close: async () => {} });
