/** The counts of parallel workers add up to the same report in any order. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { invariants, races } from "../../machines/index.ts";
import type { Mismatch } from "../drive/mismatch.ts";
import {
  addDivergence,
  addTally,
  type Divergence,
  divergenceKey,
  newTally,
  type OrderTally,
  type Tally,
} from "./tally.ts";

const edges = 5;
const mismatch: Mismatch = { requirement: "D1", field: "usage", expected: "1", actual: "0" };
const divergence = (key: string, schedule: readonly number[], more: Partial<Divergence> = {}): Divergence => ({
  key,
  action: "land",
  from: "ready",
  state: "ready",
  mismatch,
  schedule,
  times: 1,
  stepsLost: 2,
  races: new Set(),
  ...more,
});

/** A tally as plain data, its maps in a fixed order. */
function plain(tally: Tally) {
  const sorted = <T>(map: ReadonlyMap<string, T>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    ...tally,
    divergences: sorted(tally.divergences).map(([, found]) => ({ ...found, races: [...found.races].sort() })),
    invariants: sorted(tally.invariants),
    races: sorted(tally.races).map(([id, orders]) => [
      id,
      orders.map((order) => ({ ...order, failed: sorted(order.failed) })),
    ]),
  };
}

const marks = () => fc.uint8Array({ minLength: edges, maxLength: edges, max: 1 });
const anyTally = (): fc.Arbitrary<Tally> =>
  fc
    .record({
      schedules: fc.nat(9),
      steps: fc.nat(9),
      covered: marks(),
      notOffered: marks(),
      diverged: marks(),
      found: fc.array(
        fc.record({
          key: fc.constantFrom("a", "b"),
          schedule: fc.array(fc.nat(edges - 1), { minLength: 1, maxLength: 4 }),
          races: fc.uniqueArray(fc.constantFrom("R1", "X2")),
        }),
        { maxLength: 4 },
      ),
      violated: fc.nat(3),
      failed: fc.constantFrom("a", "b"),
    })
    .map(({ found, violated, failed, ...counts }) => {
      const tally: Tally = { ...newTally(edges), ...counts };
      for (const { key, schedule, races: hit } of found)
        addDivergence(tally, divergence(key, schedule, { races: new Set(hit) }));
      const [first] = tally.invariants.values();
      if (first !== undefined) first.violated = violated;
      const order = tally.races.get(races[0]?.id ?? "")?.[1] as OrderTally;
      order.schedules = counts.schedules;
      order.failed.set(failed, 1);
      return tally;
    });

const sumOf = (tallies: readonly Tally[]): Tally => {
  const total = newTally(edges);
  for (const tally of tallies) addTally(total, tally);
  return total;
};

describe("tallies", () => {
  test("add up to the same, in whatever order and grouping they come", () => {
    const inTwoOrders = fc
      .array(anyTally(), { minLength: 1, maxLength: 5 })
      .chain((tallies) =>
        fc.tuple(fc.constant(tallies), fc.shuffledSubarray(tallies, { minLength: tallies.length }), fc.nat(4)),
      );

    fc.assert(
      fc.property(inTwoOrders, ([tallies, shuffled, cut]) => {
        const grouped = sumOf([sumOf(shuffled.slice(0, cut)), sumOf(shuffled.slice(cut))]);
        expect(plain(grouped)).toEqual(plain(sumOf(tallies)));
      }),
      { seed: 17, numRuns: 200 },
    );
  });

  test("count every invariant and both orders of every row from the start", () => {
    const { invariants: counted, races: orders } = newTally(edges);

    expect([...counted.keys()]).toEqual(invariants.map(({ id }) => id));
    expect([...orders.keys()]).toEqual(races.map(({ id }) => id));
  });

  test("leave what was added alone", () => {
    const part = newTally(edges);
    addDivergence(part, divergence("a", [1, 2]));
    const total = sumOf([part, part]);

    addDivergence(total, divergence("a", [3], { races: new Set(["R1"]) }));

    expect(part.divergences.get("a")).toMatchObject({ schedule: [1, 2], times: 1, races: new Set() });
    expect(total.divergences.get("a")).toMatchObject({ schedule: [3], times: 3, stepsLost: 6, races: new Set(["R1"]) });
  });
});

describe("a divergence", () => {
  test("keeps its shortest schedule, and of equally long ones the first by its edges", () => {
    const tally = newTally(edges);
    for (const schedule of [
      [2, 1, 0],
      [1, 3],
      [1, 2],
      [1, 4],
      [0, 0, 0],
    ])
      addDivergence(tally, divergence("a", schedule));

    expect(tally.divergences.get("a")).toMatchObject({ schedule: [1, 2], times: 5 });
  });

  test("is another one when requirement, action, a state, field or a value differs", () => {
    const where = { action: "land", from: "ready", state: "ready" };
    const others = [
      divergenceKey(where, mismatch),
      divergenceKey({ ...where, action: "reply" }, mismatch),
      divergenceKey({ ...where, from: "tools" }, mismatch),
      divergenceKey({ ...where, state: "tools" }, mismatch),
      ...(["requirement", "field", "expected", "actual"] as const).map((part) =>
        divergenceKey(where, { ...mismatch, [part]: "other" }),
      ),
    ];

    expect(new Set(others).size).toBe(8);
    expect(divergenceKey(where, { ...mismatch })).toBe(others[0]);
  });
});
