/** Both harnesses are driven through sessions of two lanes. */
import { describe, expect, test } from "vitest";
import { laneBounds, laneBoundsFor } from "../../../machines/index.ts";
import { loadSubject } from "../../verify/subject.ts";
import type { Tally } from "../../verify/tally.ts";
import { driveSessions } from "./batch.ts";
import { exploreSession, type JointGraph } from "./graph.ts";
import { type PlannedHarness, partsOf, plannedEdges, planOf } from "./plan.ts";

const graphs: Record<PlannedHarness, JointGraph> = {
  reference: exploreSession(laneBounds),
  "pi-agent-core": exploreSession(laneBoundsFor("harness")),
};

/** What a reader needs of a divergence: where the two part, and how to get there. */
const describeDivergences = (graph: JointGraph, { divergences }: Tally): string[] =>
  [...divergences.values()]
    .sort((a, b) => a.schedule.length - b.schedule.length)
    .map(({ key, schedule }) => `${key} after ${schedule.map((edge) => graph.edges[edge]?.action).join(" > ")}`);

const harnesses: readonly { readonly sut: PlannedHarness; readonly parts: number }[] = [
  { sut: "reference", parts: 8 },
  { sut: "pi-agent-core", parts: 6 },
];

describe.each(harnesses)("$sut with two lanes", ({ sut, parts }) => {
  const graph = graphs[sut];
  const plan = partsOf(planOf(sut, graph), parts);
  const titled = plan.map((schedules, part) => [part + 1, schedules] as const);

  test.each(titled)(
    `[K2] [K3] [C1] [C4] [C7] [F1] nothing of one lane reaches the other, part %i of ${parts}`,
    async (_part, schedules) => {
      const subject = await loadSubject({ sut, store: "memory" });
      const tally = await driveSessions(subject, graph, schedules);

      expect(describeDivergences(graph, tally)).toEqual([]);
      expect([...plannedEdges(schedules)].filter(({ index }) => !tally.covered[index])).toEqual([]);
    },
  );
});

test("the plan for the reference leaves out no transition", () => {
  expect(plannedEdges(planOf("reference", graphs.reference)).size).toBe(graphs.reference.edges.length);
});
