/** Graphs made by hand, and what tests ask of a graph. */
import { type Bounds, boundsByName } from "../../machines/index.ts";
import type { Graph, GraphEdge, GraphNode } from "../explore/graph.ts";

/** How long a hook may take that explores a graph (vitest grants hooks ten seconds). */
export const exploringMs = 120_000;

/** Bounds for tests that need the shape of the graph, not its size. */
const tinyBounds: Bounds = {
  ...boundsByName.small,
  frames: 1,
  attempts: 1,
  ends: ["stop", "terminal", "aborted"],
};

/** A graph of bare edges, `[from, to]` each; the last node is idle. */
export function toyGraph(nodeCount: number, pairs: readonly (readonly [number, number])[]): Graph {
  const edges = pairs.map(
    ([from, to], index): GraphEdge => ({
      index,
      from,
      to,
      event: { type: "land" },
      action: `step ${index}`,
      effects: [],
    }),
  );
  const nodes = Array.from(
    { length: nodeCount },
    (_, index) =>
      ({
        index,
        key: String(index),
        path: `node ${index}`,
        resting: index === nodeCount - 1,
        edges: edges.filter(({ from }) => from === index),
      }) as unknown as GraphNode,
  );
  return { bounds: tinyBounds, nodes, edges, exploreMs: 0 };
}

/** Throws where a schedule is no path from the initial state. */
export function assertPath(edges: readonly GraphEdge[]): void {
  let at = 0;
  for (const edge of edges) {
    if (edge.from !== at) throw new Error(`edge ${edge.index} starts at ${edge.from}, the path stands at ${at}`);
    at = edge.to;
  }
}
