/**
 * Schedules that go on where others end: after each kind of cancel, finalization and refusal the lane comes to rest, and one more
 * whole turn is driven. What a call has left behind shows there, and nowhere else (Q7).
 */
import { alphabet } from "../../machines/index.ts";
import type { Graph, GraphEdge } from "../explore/graph.ts";
import type { Roads } from "./race-schedules.ts";
import { follow, isMainCase, pathTo, quietWays, type Schedule } from "./schedule.ts";

/** A turn with a frame, a hook and an answer that completes. */
const wholeTurn = [
  ...["accept", "land", "reply", "activate", "land", "reply"],
  ...["stream.start", "land", "reply", "listener.release", "stream.end stop"],
  ...["hook.release", "land", "reply", "land", "reply"],
];

/** One schedule for each action of this kind and each place that it happens in, by the shortest way there. */
export function anotherTurns({ graph, tree, usable }: Roads): Schedule[] {
  const blocked = new Set(graph.edges.filter((edge) => !usable(edge)).map(({ index }) => index));
  const ways = quietWays(graph, blocked, ({ resting, expected }) => resting && !expected.snapshot.open);
  const known = new Set<string>();
  return graph.edges.flatMap((edge): Schedule[] => {
    const key = `${graph.nodes[edge.from]?.path} ${edge.action}`;
    if (known.has(key) || !isMainCase(edge) || !usable(edge) || !leavesSomething(edge)) return [];
    const path = pathTo(tree, edge.from);
    if (path === undefined) return [];
    const toRest = [...path, edge, ...follow(ways, edge.to)];
    const turn = turnFrom(graph, toRest.at(-1)?.to as number);
    if (turn === undefined) return [];
    known.add(key);
    return [{ edges: [...toRest, ...turn] }];
  });
}

/** A stop, from whichever side; and any call that comes to nothing. */
const leavesSomething = ({ event, effects }: GraphEdge): boolean =>
  event.type === "cancel" ||
  event.type === "finalize" ||
  (alphabet[event.type].process === "lives" && isRefused(effects));

const isRefused = (effects: GraphEdge["effects"]): boolean =>
  effects.some((effect) => effect.kind === "call" && effect.outcome === "refused");

/** `undefined` where no turn begins: what the implementation does not offer may stand between. */
function turnFrom(graph: Graph, node: number): GraphEdge[] | undefined {
  let at = node;
  const turn: GraphEdge[] = [];
  for (const action of wholeTurn) {
    const edge = graph.nodes[at]?.edges.find((candidate) => candidate.action === action && isMainCase(candidate));
    if (edge === undefined) return undefined;
    turn.push(edge);
    at = edge.to;
  }
  return turn;
}
