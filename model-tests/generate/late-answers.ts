/**
 * Schedules that end with an answer that comes too late: after each kind of stop, in each place, what the drive has left waiting is
 * released. What stood behind it must not come out, whatever it was, and one state stands for several (K1, K2, K3).
 */
import type { GraphEdge } from "../explore/graph.ts";
import type { Roads } from "./race-schedules.ts";
import { isMainCase, pathTo, type Schedule } from "./schedule.ts";

/** One schedule for each place, action and place that it leads to where something is left waiting, by the shortest way there. */
export function lateAnswers({ graph, tree, usable }: Roads): Schedule[] {
  const known = new Set<string>();
  const lateAt = (node: number): GraphEdge | undefined =>
    graph.nodes[node]?.edges.find((edge) => edge.event.type === "late" && usable(edge));
  return graph.edges.flatMap((edge): Schedule[] => {
    const [from, to] = [graph.nodes[edge.from], graph.nodes[edge.to]];
    const late = lateAt(edge.to);
    const key = `${from?.path} ${edge.action} ${to?.path} ${to?.expected.parked}`;
    if (late === undefined || known.has(key) || edge.from === edge.to || !isMainCase(edge) || !usable(edge)) return [];
    const path = pathTo(tree, edge.from);
    if (path === undefined) return [];
    known.add(key);
    return [{ edges: [...path, edge, late] }];
  });
}
