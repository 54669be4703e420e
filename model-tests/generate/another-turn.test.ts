/** One more whole turn after every kind of stop and refusal. */
import { beforeAll, describe, expect, test } from "vitest";
import { boundsByName } from "../../machines/index.ts";
import { explore, type Graph } from "../explore/graph.ts";
import { assertPath, exploringMs } from "../testing/graphs.ts";
import { anotherTurns } from "./another-turn.ts";
import { roadsOf } from "./race-schedules.ts";
import type { Schedule } from "./schedule.ts";

let small: Graph;
let schedules: readonly Schedule[];
beforeAll(() => {
  small = explore(boundsByName.small);
  schedules = anotherTurns(roadsOf(small, new Set(), new Set()));
}, exploringMs);

describe("[Q7] one more turn", () => {
  const placesOf = (event: string): Set<string> =>
    new Set(small.edges.filter((edge) => edge.event.type === event).map(({ from }) => small.nodes[from]?.path ?? ""));

  test.each(["cancel", "cancel.stale", "finalize"])("follows each %s, in every place that has it", (event) => {
    const driven = new Set(
      schedules.flatMap(({ edges }) =>
        edges.filter((edge) => edge.event.type === event).map(({ from }) => small.nodes[from]?.path ?? ""),
      ),
    );

    expect([...placesOf(event)].filter((place) => !driven.has(place))).toEqual([]);
  });

  test("completes: it streams, its hook runs, and its answer stands", () => {
    for (const { edges } of schedules) {
      assertPath(edges);
      const end = small.nodes[edges.at(-1)?.to ?? 0];
      expect([end?.path, end?.expected.durable.outcome]).toEqual(["up.settled", "completed"]);
    }
  });

  test("is left out where the implementation does not offer what it follows", () => {
    const stale = small.edges.filter(({ event }) => event.type === "cancel.stale").map(({ index }) => index);
    const without = anotherTurns(roadsOf(small, new Set(), new Set(stale)));

    expect(without.length).toBeGreaterThan(0);
    expect(without.some(({ edges }) => edges.some(({ event }) => event.type === "cancel.stale"))).toBe(false);
  });
});
