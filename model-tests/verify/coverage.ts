/** Which edges a coverage criterion asks for, the tours that drive them, and what was reached. */
import type { Graph, GraphEdge } from "../explore/graph.ts";
import { isMainCase, pathTo, pathTree, type Schedule } from "../generate/schedule.ts";
import { type Tours, tours } from "../generate/tours.ts";
import type { Criterion } from "./options.ts";
import type { CoverageFigures } from "./report.ts";
import type { Tally } from "./tally.ts";

/** @param driven edges that are driven anyway, and need no tour for the criterion `transitions`. */
export function coverageTours(graph: Graph, criterion: Criterion, driven: ReadonlySet<GraphEdge> = new Set()): Tours {
  switch (criterion) {
    case "transitions":
      return tours(graph, (edge) => isMainCase(edge) && !driven.has(edge), isMainCase);
    case "states":
      return statePaths(graph);
    case "walks":
    case "races":
      return { schedules: [], stepsLowerBound: 0 };
  }
}

/** Shortest paths to the states that no other shortest path passes through. */
function statePaths(graph: Graph): Tours {
  const tree = pathTree(graph, isMainCase);
  const passed = new Set(tree.flatMap((edge) => (edge === undefined ? [] : [edge.from])));
  const schedules: Schedule[] = graph.nodes
    .filter(({ index }) => !passed.has(index))
    .flatMap(({ index }) => {
      const edges = pathTo(tree, index);
      return edges === undefined ? [] : [{ edges }];
    });
  return { schedules, stepsLowerBound: graph.nodes.length - 1 };
}

/** A transition is a state and an action: which allowed case of it an implementation takes is its own choice. */
const transitionOf = ({ from, action }: GraphEdge): string => `${from} ${action}`;

/** Tours for what is uncovered, over edges that the implementation has neither failed nor failed to offer. */
export function uncoveredTours(graph: Graph, tally: Tally): Tours {
  const covered = new Set(graph.edges.filter(({ index }) => tally.covered[index]).map(transitionOf));
  const usable = ({ index }: GraphEdge): boolean => !tally.diverged[index] && !tally.notOffered[index];
  const attempted = new Set(graph.edges.filter((edge) => !usable(edge) && isMainCase(edge)).map(transitionOf));
  const wanted = (edge: GraphEdge): boolean => {
    if (!usable(edge) || covered.has(transitionOf(edge))) return false;
    // The rarer case of an action is worth a schedule only where the usual one is not to be had.
    return isMainCase(edge) || attempted.has(transitionOf(edge));
  };
  return tours(graph, wanted, usable);
}

export interface Coverage {
  readonly states: CoverageFigures;
  readonly transitions: CoverageFigures;
}

/** @param whole whether the run was to cover every transition: then what it did not reach is not to be had. */
export function coverageOf(graph: Graph, tally: Tally, whole: boolean): Coverage {
  const all = new Set(graph.edges.map(transitionOf));
  const covered = new Set<string>();
  const reached = new Set<number>([0]);
  for (const edge of graph.edges) {
    if (!tally.covered[edge.index]) continue;
    covered.add(transitionOf(edge));
    reached.add(edge.to);
  }
  const refused = graph.edges.filter((edge) => tally.notOffered[edge.index] && !covered.has(transitionOf(edge)));
  const figures = (reachedCount: number, total: number, tried: number): CoverageFigures => ({
    covered: reachedCount,
    total,
    notOffered: whole ? total - reachedCount : tried,
  });
  return {
    states: figures(reached.size, graph.nodes.length, 0),
    transitions: figures(covered.size, all.size, new Set(refused.map(transitionOf)).size),
  };
}

/** A seeded order, so that a time budget cuts off a fair sample. */
export function seededOrder<T>(items: readonly T[], seed: number): T[] {
  const order = [...items];
  let state = seed >>> 0;
  for (let at = order.length - 1; at > 0; at--) {
    // A linear congruential step (Numerical Recipes): the same numbers on every machine.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const other = Math.floor((state / 2 ** 32) * (at + 1));
    [order[at], order[other]] = [order[other] as T, order[at] as T];
  }
  return order;
}
