/** A step is over when nothing moves any more; what never rests is an error, not a wait without end. */
import { describe, expect, test } from "vitest";
import { NoQuiescence } from "../errors.ts";
import { quiescence } from "./quiescence.ts";
import type { World } from "./world.ts";

/** The two things of a world that quiescence looks at. */
const worldWith = (counters: { activity: number; openStoreCalls: number }) => counters as unknown as World;

/** Something that moves once a turn, so many times. */
function moves(counters: { activity: number }, turns: number): { stop(): void } {
  let left = turns;
  const move = (): void => {
    counters.activity++;
    if (--left > 0) setImmediate(move);
  };
  setImmediate(move);
  return {
    stop: () => {
      left = 0;
    },
  };
}

describe("quiescence", () => {
  test("comes at once when nothing moves", async () => {
    const counters = { activity: 0, openStoreCalls: 0 };

    await expect(quiescence(worldWith(counters))).resolves.toBeUndefined();
  });

  test("waits for whatever moves over several turns", async () => {
    const counters = { activity: 0, openStoreCalls: 0 };
    moves(counters, 25);

    await quiescence(worldWith(counters));

    expect(counters.activity).toBe(25);
  });

  test("waits for a chain of promises, however long", async () => {
    const counters = { activity: 0, openStoreCalls: 0 };
    const chain = async (): Promise<void> => {
      for (let link = 0; link < 5_000; link++) await Promise.resolve();
      counters.activity++;
    };
    void chain();

    await quiescence(worldWith(counters));

    expect(counters.activity).toBe(1);
  });

  test.each([50, 15_000])("waits %i turns for a store that has not answered, though nothing moves", async (needed) => {
    const counters = { activity: 0, openStoreCalls: 1 };
    let turns = 0;
    const answer = (): void => {
      if (++turns === needed) counters.openStoreCalls = 0;
      else setImmediate(answer);
    };
    setImmediate(answer);

    await quiescence(worldWith(counters));

    expect(turns).toBe(needed);
  });

  test("grants further turns when asked for", async () => {
    const counters = { activity: 0, openStoreCalls: 0 };
    let turns = 0;
    let over = false;
    const count = (): void => {
      turns++;
      if (!over) setImmediate(count);
    };
    setImmediate(count);

    await quiescence(worldWith(counters), 20);
    over = true;

    expect(turns).toBeGreaterThanOrEqual(20);
  });

  test("[N13] fails loudly on what never comes to rest", async () => {
    const counters = { activity: 0, openStoreCalls: 0 };
    const endless = moves(counters, Number.POSITIVE_INFINITY);

    await expect(quiescence(worldWith(counters))).rejects.toThrow(NoQuiescence);
    endless.stop();
  });
});
