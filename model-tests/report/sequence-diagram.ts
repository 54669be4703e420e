/** A counterexample as a sequence diagram in plain text. */
import type { Mismatch } from "../drive/mismatch.ts";
import type { Graph, GraphEdge } from "../explore/graph.ts";

export function sequenceDiagram(graph: Graph, path: readonly number[], _found: Mismatch): string {
  return path.map((index) => (graph.edges[index] as GraphEdge).action).join("\n");
}
