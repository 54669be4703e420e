/** What is planned around what an implementation does not offer or fails: race rows, and crashes inside its steps. */
import { type Race, races } from "../../machines/index.ts";
import type { Graph, GraphEdge } from "../explore/graph.ts";
import { planRace, type RacePlan, type Roads, roadsOf } from "../generate/race-schedules.ts";
import { pathTo, pathTree, type Schedule } from "../generate/schedule.ts";
import type { VerifyOptions } from "./options.ts";
import type { Tally } from "./tally.ts";

/** Whether an edge was neither failed nor refused so far. */
export const usableFor =
  ({ diverged, notOffered }: Tally) =>
  ({ index }: GraphEdge): boolean =>
    !diverged[index] && !notOffered[index];

/** The ways that are left. */
export function roadsAround(graph: Graph, { diverged, notOffered }: Tally): Roads {
  const marked = (marks: Uint8Array): Set<number> => new Set([...marks.keys()].filter((edge) => marks[edge]));
  return roadsOf(graph, marked(diverged), marked(notOffered));
}

/** The schedules of the rows that were asked for. */
export function plannedRaces(graph: Graph, tally: Tally, options: VerifyOptions): RacePlan[] {
  const roads = roadsAround(graph, tally);
  const wanted = (race: Race): boolean => options.races.length === 0 || options.races.includes(race.id);
  const disturbances = options.bounds === "deep" || options.races.length > 0 ? "all" : "crash";
  return races.filter(wanted).map((race) => planRace(race, roads, disturbances));
}

/** Each commit of the harness's own is a crash point of its own, before and after its landing. */
export function plannedCrashes(graph: Graph, tally: Tally, { criterion }: VerifyOptions): Schedule[] {
  if (criterion === "rows") return [];
  const tree = pathTree(graph, usableFor(tally));
  return graph.edges.flatMap((edge) => {
    const path = pathTo(tree, edge.from);
    const commits = tally.internal[edge.index] ?? 0;
    // Between several transactions that add tool results lie states of the harness's own, which the machine has not.
    const inParts = commits > 1 && edge.effects.some(({ kind }) => kind === "tool_results");
    if (path === undefined || inParts) return [];
    return Array.from({ length: commits }, (_, commit) =>
      [false, true].map((landed) => ({ edges: [...path, edge], inside: { commit, landed } })),
    ).flat();
  });
}
