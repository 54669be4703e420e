/**
 * Tours that drive every required edge in the fewest steps: a directed rural postman problem. A run may start afresh at
 * the initial state and may end anywhere, so the least number of steps is a minimum-cost flow, and its decomposition
 * into walks is the schedules.
 */
import type { GraphEdge } from "../explore/graph.ts";
import { minCostFlow } from "./min-cost-flow.ts";
import { type Arc, pathTo, pathTree, type Walkable } from "./schedule.ts";

/** Schedules that together take every wanted edge. */
export interface Tours<E extends Arc = GraphEdge> {
  readonly schedules: readonly Tour<E>[];
  /** The least number of steps that any set of runs needs. */
  readonly stepsLowerBound: number;
}

export interface Tour<E extends Arc> {
  readonly edges: readonly E[];
}

/**
 * Tours over all wanted edges in few steps, by minimum-cost flow.
 *
 * @param usable edges that a tour may drive on its way; required edges that cannot be reached over them are left out.
 */
export function tours<E extends Arc>(
  graph: Walkable<E>,
  isRequired: (edge: E) => boolean,
  usable: (edge: E) => boolean = () => true,
): Tours<E> {
  const tree = pathTree(graph, usable);
  const reachable = (edge: E): boolean => edge.from === 0 || tree[edge.from] !== undefined;
  const edges = graph.edges.filter((edge) => usable(edge) && reachable(edge));
  const required = edges.map((edge) => (isRequired(edge) ? 1 : 0));
  const supply = new Float64Array(graph.nodes.length);
  const demand = new Float64Array(graph.nodes.length);
  edges.forEach((edge, at) => {
    if (!required[at]) return;
    supply[edge.to] = (supply[edge.to] ?? 0) + 1;
    demand[edge.from] = (demand[edge.from] ?? 0) + 1;
  });
  for (let node = 0; node < graph.nodes.length; node++) {
    const through = Math.min(supply[node] ?? 0, demand[node] ?? 0);
    supply[node] = (supply[node] ?? 0) - through;
    demand[node] = (demand[node] ?? 0) - through;
  }
  supply[0] = Number.POSITIVE_INFINITY;
  demand[0] = 0;
  const flow = minCostFlow(graph.nodes.length, edges, supply, demand);
  const left: Left<E> = new Map();
  let stepsLowerBound = 0;
  edges.forEach((edge, at) => {
    const times = (flow[at] ?? 0) + (required[at] ?? 0);
    stepsLowerBound += times;
    if (times > 0) left.set(edge.from, [...(left.get(edge.from) ?? []), { edge, times }]);
  });
  return { schedules: decompose(graph, left, tree), stepsLowerBound };
}

type Left<E extends Arc> = Map<number, { edge: E; times: number }[]>;

/** Take one edge out of `node`, self-loops first so that asides are driven where the walk already is. */
function take<E extends Arc>(left: Left<E>, node: number): E | undefined {
  const choices = left.get(node);
  if (choices === undefined) return undefined;
  const at = Math.max(
    0,
    choices.findIndex(({ edge }) => edge.from === edge.to),
  );
  const choice = choices[at];
  if (choice === undefined) return undefined;
  choice.times--;
  if (choice.times === 0) choices.splice(at, 1);
  if (choices.length === 0) left.delete(node);
  return choice.edge;
}

function walk<E extends Arc>(left: Left<E>, from: number): E[] {
  const path: E[] = [];
  for (let edge = take(left, from); edge !== undefined; edge = take(left, edge.to)) path.push(edge);
  return path;
}

function decompose<E extends Arc>(graph: Walkable<E>, left: Left<E>, tree: readonly (E | undefined)[]): Tour<E>[] {
  const schedules: Tour<E>[] = [];
  while (left.has(0)) schedules.push({ edges: walk(left, 0) });
  // What is left are circles that no walk happened to enter: each is reached by a path of its own.
  while (left.size > 0) {
    const [start] = left.keys();
    const path = pathTo(tree, start as number);
    if (path === undefined) throw new Error(`No path leads to ${graph.nodes[start as number]?.path}`);
    schedules.push({ edges: [...path, ...walk(left, start as number)] });
  }
  return schedules;
}
