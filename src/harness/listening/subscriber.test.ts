/** Listeners that do not return: what a close, and taking them off, does to what waits behind them. */
import { describe, expect, test } from "vitest";
import { HarnessFault } from "../../errors.ts";
import { assistant, beginning, done, openWorld, quiet } from "../../testing/harness/fakes.ts";
import type { HarnessEvent } from "./events.ts";

const never = new Promise<void>(() => {});

/** A world amid a stream, whose listener has not returned from its first update. */
async function heldAtUpdate() {
  const world = await openWorld();
  const told: string[] = [];
  const off = world.harness.on((event) => {
    told.push(event.type);
    return event.type === "message_update" ? never : undefined;
  });
  await world.lane.accept({ prompt: "Hi" });
  const activation = world.lane.activate();
  activation.catch(() => {});
  await quiet();
  await world.provider.last.push(...beginning("hello"));
  return { world, told, off, activation };
}

describe("a listener that does not return", () => {
  test("[K1] is told nothing after a close, and the close does not wait for it", async () => {
    const { world, told } = await heldAtUpdate();
    const { operation } = await world.lane.snapshot();
    await world.session.finalize("main", operation?.id ?? "", { status: "aborted" });
    const before = [...told];

    await world.harness.close();
    await quiet();

    expect(told).toEqual(before);
  });

  test("[K1] [K2] is not told of a fault that a close has followed", async () => {
    const { world, told } = await heldAtUpdate();
    const other = await world.harness.lane("other");
    world.storage.armed = true;
    const accepted = other.accept({ prompt: "Hi" });
    await quiet();
    world.storage.parked[0]?.fail(new Error("no more disk"));
    await expect(accepted).rejects.toThrow(HarnessFault);

    await world.harness.close().catch(() => {});
    await quiet();

    expect(told).not.toContain("fault");
  });

  test("[J4] frees the stream, and the operation ends, when it is taken off", async () => {
    const { world, off, activation } = await heldAtUpdate();

    off();
    await quiet();
    await world.provider.last.push(done(assistant("hello")));

    expect(await activation).toMatchObject({ result: { status: "completed" } });
  });

  test("[J4] frees the stream when it takes itself off before it hangs", async () => {
    const world = await openWorld();
    const off = world.harness.on((event) => {
      if (event.type !== "message_start") return;
      off();
      return never;
    });
    await world.lane.accept({ prompt: "Hi" });
    const activation = world.lane.activate();
    await quiet();

    await world.provider.last.push(...beginning("hello"), done(assistant("hello")));

    expect(await activation).toMatchObject({ result: { status: "completed" } });
  });
});

describe("a listener that returns", () => {
  test("[K1] is told before the close settles what was announced before it", async () => {
    const world = await openWorld();
    const told: HarnessEvent["type"][] = [];
    const watch = await world.lane.watch();
    watch.start((event) => void told.push(event.type));
    await world.lane.accept({ prompt: "Hi" });
    const activation = world.lane.activate();
    await quiet();
    const pushed = world.provider.last.push(...beginning("hello"), done(assistant("hello")));
    await activation;

    await world.harness.close();
    const atClose = [...told];
    await pushed;

    expect(atClose.at(-1)).toBe("operation_end");
    expect(told).toEqual(atClose);
  });
});
