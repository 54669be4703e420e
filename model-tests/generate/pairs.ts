/**
 * Transition pairs: an edge and one that follows it. They are the edges of the line graph, in which each transition is a node,
 * so the tours over them are the same minimum-cost flow one level up.
 */
import type { Graph, GraphEdge } from "../explore/graph.ts";
import { type Arc, isMainCase, type Walkable } from "./schedule.ts";
import { type Tours, tours } from "./tours.ts";

/** An edge that a run drives right after another one; `first` is `undefined` where the run begins. */
export interface Pair extends Arc {
  readonly first: GraphEdge | undefined;
  readonly second: GraphEdge;
}

/** All pairs of a graph, as a graph whose nodes are the transitions. Node 0 is the beginning of a run. */
export interface Pairs extends Walkable<Pair> {
  readonly edges: readonly Pair[];
}

const known = new WeakMap<Graph, Pairs>();

/** The pairs of a graph; made once. A pair counts on the main case of both its actions. */
export function pairsOf(graph: Graph): Pairs {
  const made = known.get(graph) ?? makePairs(graph);
  known.set(graph, made);
  return made;
}

function makePairs({ nodes, edges }: Graph): Pairs {
  const pairs: Pair[] = [];
  const after = (from: number, first: GraphEdge | undefined): Pair[] => {
    const node = first === undefined ? 0 : first.to;
    const seconds = nodes[node]?.edges.filter(isMainCase) ?? [];
    return seconds.map((second) => {
      const pair = { index: pairs.length, from, to: second.index + 1, first, second };
      pairs.push(pair);
      return pair;
    });
  };
  const begin = { path: "the beginning", edges: after(0, undefined) };
  const transitions = edges.map((edge) => ({
    path: nodes[edge.from]?.path ?? "",
    edges: isMainCase(edge) ? after(edge.index + 1, edge) : [],
  }));
  return { nodes: [begin, ...transitions], edges: pairs };
}

/** The pairs that a run drives, in its order. */
export function pairsIn(graph: Graph, path: readonly GraphEdge[]): Pair[] {
  return path.flatMap((second, at) => pairOf(graph, path[at - 1], second) ?? []);
}

/** The pair of two edges; `undefined` where one of them is not the main case of its action. */
export function pairOf(graph: Graph, first: GraphEdge | undefined, second: GraphEdge): Pair | undefined {
  const after = pairsOf(graph).nodes[first === undefined ? 0 : first.index + 1];
  return after?.edges.find((each) => each.second === second);
}

/**
 * Tours over all wanted pairs in few steps.
 *
 * @param usable pairs that a tour may drive on its way; wanted pairs that cannot be reached over them are left out.
 */
export function pairTours(
  graph: Graph,
  isWanted: (pair: Pair) => boolean,
  usable: (pair: Pair) => boolean = () => true,
): Tours {
  const { schedules, stepsLowerBound } = tours(pairsOf(graph), isWanted, usable);
  return { stepsLowerBound, schedules: schedules.map(({ edges }) => ({ edges: edges.map(({ second }) => second) })) };
}
