/** Which edges a coverage criterion asks for, the tours that drive them, and what was reached. */
import type { Graph, GraphEdge } from "../explore/graph.ts";
import { type Pair, pairsIn, pairsOf, pairTours } from "../generate/pairs.ts";
import { isMainCase, pathTo, pathTree, type Schedule } from "../generate/schedule.ts";
import { type Tours, tours } from "../generate/tours.ts";
import { trueRacesOf } from "../generate/true-races.ts";
import type { Criterion } from "./options.ts";
import type { CoverageFigures } from "./report.ts";
import type { Tally } from "./tally.ts";

/** @param driven schedules that are driven anyway: what they cover needs no tour, but for the states. */
export function coverageTours(graph: Graph, criterion: Criterion, driven: readonly Schedule[] = []): Tours {
  switch (criterion) {
    case "transitions":
    case "complete":
      return transitionTours(graph, driven);
    case "races": {
      const ofRaces = toursOverPairs(graph, wantedBy(graph, criterion), driven);
      const rest = transitionTours(graph, [...driven, ...ofRaces.schedules]);
      return {
        schedules: [...ofRaces.schedules, ...rest.schedules],
        stepsLowerBound: ofRaces.stepsLowerBound + rest.stepsLowerBound,
      };
    }
    case "pairs":
      return toursOverPairs(graph, wantedBy(graph, criterion), driven);
    case "states":
      return statePaths(graph);
    case "walks":
    case "rows":
      return { schedules: [], stepsLowerBound: 0 };
  }
}

/** Which pairs of transitions a criterion asks for. */
function wantedBy(graph: Graph, criterion: Criterion): (pair: Pair) => boolean {
  if (criterion === "pairs") return () => true;
  const ofRaces = new Set(criterion === "races" ? trueRacesOf(graph).flatMap(({ orders }) => orders) : []);
  return (pair) => ofRaces.has(pair);
}

function transitionTours(graph: Graph, driven: readonly Schedule[]): Tours {
  const covered = new Set(driven.flatMap(({ edges }) => edges));
  return tours(graph, (edge) => isMainCase(edge) && !covered.has(edge), isMainCase);
}

function toursOverPairs(graph: Graph, isWanted: (pair: Pair) => boolean, driven: readonly Schedule[]): Tours {
  const covered = new Set(driven.flatMap(({ edges }) => pairsIn(graph, edges)));
  return pairTours(graph, (pair) => isWanted(pair) && !covered.has(pair));
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

/** Tours for the pairs that a criterion asks for and that are uncovered, over what the implementation offers and holds. */
export function uncoveredPairs(graph: Graph, criterion: Criterion, tally: Tally): Tours {
  const isWanted = wantedBy(graph, criterion);
  const fails = ({ index }: GraphEdge): boolean =>
    !tally.covered[index] && Boolean(tally.diverged[index] || tally.notOffered[index]);
  const usable = ({ index, second }: Pair): boolean => !tally.pairsLost[index] && !fails(second);
  return pairTours(graph, (pair) => usable(pair) && isWanted(pair) && !tally.pairs[pair.index], usable);
}

export interface Coverage {
  readonly states: CoverageFigures;
  readonly transitions: CoverageFigures;
  readonly pairs: CoverageFigures;
}

/**
 * @param whole whether the run was to cover every transition: then what it did not reach is not to be had.
 * @param wholePairs the same of every pair of transitions.
 */
export function coverageOf(graph: Graph, tally: Tally, whole: boolean, wholePairs = false): Coverage {
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
    pairs: pairFigures(graph, tally, wholePairs),
  };
}

function pairFigures(graph: Graph, { pairs, pairsLost }: Tally, whole: boolean): CoverageFigures {
  const covered = countOf(pairs);
  const total = pairsOf(graph).edges.length;
  const lost = pairsLost.reduce((sum, mark, index) => sum + (mark && !pairs[index] ? 1 : 0), 0);
  return { covered, total, notOffered: whole ? total - covered : lost };
}

/** How many marks are set. */
export const countOf = (marks: Uint8Array): number => marks.reduce((sum, mark) => sum + mark, 0);

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
