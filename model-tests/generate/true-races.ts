/**
 * The true races of a graph: a state and two actions that are possible there in both orders, where the order makes a
 * difference. Rows of the race table explain the ones that matter most; the graph finds the others.
 */
import { type Race, races } from "../../machines/index.ts";
import { classesOf } from "../explore/classes.ts";
import type { Graph, GraphEdge, GraphNode } from "../explore/graph.ts";
import { type Pair, pairsOf } from "./pairs.ts";
import { isAct } from "./race-schedules.ts";
import { isMainCase } from "./schedule.ts";

/** One state, two actions, and both orders in which they can come. */
export interface TrueRace {
  readonly state: GraphNode;
  readonly orders: readonly [Pair, Pair];
}

/** Two actions commute where both orders lead to states that nobody can tell apart, and each makes the same visible in both. */
export function trueRacesOf(graph: Graph): TrueRace[] {
  const classes = classesOf(graph);
  const after = pairsOf(graph).nodes;
  const follows = (first: GraphEdge, { action }: GraphEdge): Pair | undefined =>
    after[first.index + 1]?.edges.find(({ second }) => second.action === action);
  return graph.nodes.flatMap((state) => {
    const edges = state.edges.filter(isMainCase);
    return edges.flatMap((one, at) =>
      edges.slice(at + 1).flatMap((other): TrueRace[] => {
        const [otherLast, oneLast] = [follows(one, other), follows(other, one)];
        if (otherLast === undefined || oneLast === undefined) return [];
        const commute =
          classes[otherLast.second.to] === classes[oneLast.second.to] &&
          showAlike(one, oneLast.second) &&
          showAlike(other, otherLast.second);
        return commute ? [] : [{ state, orders: [otherLast, oneLast] }];
      }),
    );
  });
}

const showAlike = (one: GraphEdge, other: GraphEdge): boolean =>
  JSON.stringify(one.effects) === JSON.stringify(other.effects);

/** The rows that name a race: both their actions are its actions, or it is what a precedence is provoked with. */
export function rowsNaming(graph: Graph, { orders: [{ first: one }, { first: other }] }: TrueRace): Race[] {
  if (one === undefined || other === undefined) return [];
  const names = (race: Race, first: GraphEdge, second: GraphEdge): boolean =>
    isAct(graph, first, race.first) &&
    (race.kind === "choice" ? isAct(graph, second, race.second) : race.provoke?.includes(second.event.type) === true);
  return races.filter((race) => names(race, one, other) || names(race, other, one));
}
