/** Time in a run passes only when the driver says so. */
import { describe, expect, test } from "vitest";
import { VirtualClock } from "./clock.ts";

const never = new AbortController().signal;

/** A clock with sleepers that write down their names as they wake. */
function clockWith(sleepers: Readonly<Record<string, number>>) {
  const clock = new VirtualClock();
  const start = clock.now();
  const woken: string[] = [];
  for (const [name, afterMs] of Object.entries(sleepers)) {
    void clock.sleepUntil(start + afterMs, never).then(() => woken.push(name));
  }
  return { clock, start, woken };
}

describe("the virtual clock", () => {
  test("stands still until it is stepped", async () => {
    const { clock, start, woken } = clockWith({ soon: 1 });

    await new Promise((resolve) => void setImmediate(resolve));

    expect(clock.now()).toBe(start);
    expect(woken).toEqual([]);
  });

  test("wakes who is due in the order of due times, not of calls", async () => {
    const { clock, start, woken } = clockWith({ third: 30, first: 10, second: 20, later: 31 });

    await clock.stepTo(start + 30);

    expect(woken).toEqual(["first", "second", "third"]);
    expect(clock.now()).toBe(start + 30);
  });

  test("wakes each sleeper once", async () => {
    const { clock, start, woken } = clockWith({ one: 10 });

    await clock.stepTo(start + 10);
    await clock.stepTo(start + 20);

    expect(woken).toEqual(["one"]);
  });

  test("never steps back", async () => {
    const { clock, start } = clockWith({});
    await clock.stepTo(start + 10);

    await clock.stepTo(start);

    expect(clock.now()).toBe(start + 10);
  });

  test("does not let a sleep begin that is already over", async () => {
    const { clock, start } = clockWith({});

    await expect(clock.sleepUntil(start, never)).resolves.toBeUndefined();
  });

  test("gives up a sleep when its signal is pulled, and does not wake it later", async () => {
    const { clock, start } = clockWith({});
    const pulled = new AbortController();
    const sleep = clock.sleepUntil(start + 10, pulled.signal);

    pulled.abort(new Error("no longer wanted"));
    await clock.stepTo(start + 10);

    await expect(sleep).rejects.toThrow("no longer wanted");
  });

  test("tells its listeners the new time, and awaits them, until they leave", async () => {
    const { clock, start } = clockWith({});
    const told: number[] = [];
    const leave = clock.onStep(async (nowMs) => {
      await Promise.resolve();
      told.push(nowMs);
    });

    await clock.stepTo(start + 5);
    expect(told).toEqual([start + 5]);
    leave();
    await clock.stepTo(start + 6);

    expect(told).toEqual([start + 5]);
  });

  test("forgets the sleepers of a process that is gone", async () => {
    const { clock, start, woken } = clockWith({ gone: 10 });

    clock.forget();
    await clock.stepTo(start + 10);

    expect(woken).toEqual([]);
  });
});
