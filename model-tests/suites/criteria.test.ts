/** The reference under the strongest criteria, on a graph that is small enough for each run of the tests. */
import { beforeAll, describe, expect, test } from "vitest";
import { boundsByName } from "../../machines/index.ts";
import { explore, type Graph } from "../explore/graph.ts";
import { completeSuite } from "../generate/complete.ts";
import { pairsOf, pairTours } from "../generate/pairs.ts";
import { exploringMs } from "../testing/graphs.ts";
import { reference } from "../testing/subjects.ts";
import { driveBatch } from "../verify/batch.ts";

/** How long a test may take that drives some ten thousand steps, on a machine with much else to do. */
const drivingMs = 600_000;

let graph: Graph;
beforeAll(() => {
  graph = explore({ ...boundsByName.small, frames: 1, attempts: 1, polls: 0, ends: ["stop", "aborted"] });
}, exploringMs);

describe("the reference on a small graph", () => {
  test(
    "holds over every pair of transitions",
    async () => {
      const tally = await driveBatch(reference, graph, pairTours(graph, () => true).schedules);

      expect([...tally.divergences.values()]).toEqual([]);
      expect(tally.pairs.reduce((sum, mark) => sum + mark, 0)).toBe(pairsOf(graph).edges.length);
    },
    drivingMs,
  );

  test(
    "holds over a complete suite for k = 0",
    async () => {
      const tests = [...completeSuite(graph, 0).tests()].map((schedule) => ({ ...schedule, isTest: true as const }));

      const tally = await driveBatch(reference, graph, tests);

      expect([...tally.divergences.values()]).toEqual([]);
      expect(tally.unfinished).toEqual([]);
    },
    drivingMs,
  );
});
