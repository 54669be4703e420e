/** Schedules as text: the words that reports print, counterexamples store and `replay` reads back. */

import { operationEvents, whyNot } from "../../machines/index.ts";
import { UsageError } from "../errors.ts";
import { actionOf, type Graph, type GraphEdge, type GraphNode, stateOf } from "../explore/graph.ts";

/** The action, and the case of it where that is not the usual one. */
export function labelOf({ action, event }: Pick<GraphEdge, "action" | "event">): string {
  return "kept" in event && event.kept === "head" ? `${action} (head)` : action;
}

export const labelsOf = (graph: Graph, path: readonly number[]): string[] =>
  path.map((index) => labelOf(graph.edges[index] as GraphEdge));

/** Why a label has no edge at a node, in words. */
function reasonNot(graph: Graph, index: number, label: string): string {
  const event = operationEvents.find(
    (candidate) => labelOf({ action: actionOf(candidate), event: candidate }) === label,
  );
  if (event === undefined) return "is no action of the alphabet.";
  const node = graph.nodes[index] as GraphNode;
  const where = `is not enabled in state ${node.path} of this machine`;
  switch (whyNot(stateOf(graph, node), event)) {
    case "bounds":
      return `${where}: only wider bounds than these have it there.`;
    case "guard":
      return `${where}: the state knows the action, but its condition does not hold.`;
    default:
      return `${where}: the state does not know the action.`;
  }
}

/** Walk a schedule's labels from the initial state; a label that is not enabled where it stands is a usage error. */
export function edgesOf(graph: Graph, labels: readonly string[]): GraphEdge[] {
  let node = 0;
  return labels.map((label, at) => {
    const edge = graph.nodes[node]?.edges.find((candidate) => labelOf(candidate) === label);
    if (edge === undefined) {
      throw new UsageError(`Step ${at + 1} of the schedule, "${label}", ${reasonNot(graph, node, label)}`);
    }
    node = edge.to;
    return edge;
  });
}
