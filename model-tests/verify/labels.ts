/** Schedules as text: the words that reports print, counterexamples store and `replay` reads back. */

import { UsageError } from "../errors.ts";
import type { Graph, GraphEdge } from "../explore/graph.ts";

/** The action, and the case of it where that is not the usual one. */
export function labelOf({ action, event }: GraphEdge): string {
  return "kept" in event && event.kept === "head" ? `${action} (head)` : action;
}

export const labelsOf = (graph: Graph, path: readonly number[]): string[] =>
  path.map((index) => labelOf(graph.edges[index] as GraphEdge));

/** Walk a schedule's labels from the initial state; a label that is not enabled where it stands is a usage error. */
export function edgesOf(graph: Graph, labels: readonly string[]): GraphEdge[] {
  let node = 0;
  return labels.map((label, at) => {
    const edge = graph.nodes[node]?.edges.find((candidate) => labelOf(candidate) === label);
    if (edge === undefined) {
      const path = graph.nodes[node]?.path ?? "nowhere";
      throw new UsageError(
        `Step ${at + 1} of the schedule, "${label}", is not enabled in state ${path} of this machine.`,
      );
    }
    node = edge.to;
    return edge;
  });
}
