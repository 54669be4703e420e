/** The schedules by which each harness is driven through the graph of a session with two lanes. */
import { tours } from "../../generate/tours.ts";
import type { JointSchedule } from "./batch.ts";
import type { JointEdge, JointGraph } from "./graph.ts";
import { offeredOneAtATime } from "./subset.ts";

export type PlannedHarness = "reference" | "pi-agent-core";

/** Tours over every transition, or over those of the part that pi offers. */
export function planOf(harness: PlannedHarness, graph: JointGraph): readonly JointSchedule[] {
  const offered = harness === "reference" ? () => true : offeredOneAtATime(graph);
  return tours(graph, offered, offered).schedules;
}

export const plannedEdges = (plan: readonly JointSchedule[]): ReadonlySet<JointEdge> =>
  new Set(plan.flatMap(({ edges }) => edges));

/** Parts of a plan, so that a failing test names few schedules and none takes long. */
export const partsOf = (plan: readonly JointSchedule[], count: number): readonly (readonly JointSchedule[])[] =>
  Array.from({ length: count }, (_, part) => plan.filter((_, at) => at % count === part));
