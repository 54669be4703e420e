/**
 * Schedules of the longest streams: each ends after another number of frames, by a crash or by the provider, and a reader looks
 * after every frame. What a content says in its later frames shows there, and nowhere else (B5, E3, I1).
 */
import type { Graph, GraphEdge } from "../explore/graph.ts";
import type { Roads } from "./race-schedules.ts";
import { follow, isMainCase, pathTo, quietWays, type Schedule } from "./schedule.ts";

/** @returns for each content each way in which a long stream may end. */
export function wholeStreams(roads: Roads, contents: Iterable<number>): Schedule[] {
  const streams = longStreams(roads);
  return [...contents].flatMap((content) => streams.map((edges): Schedule => ({ edges, content })));
}

/** One schedule for each number of frames that only a stream alone has, cut off there; and the longest to its end, or with a spoilt frame. */
function longStreams({ graph, tree, usable }: Roads): GraphEdge[][] {
  const { frames, framesAlone } = graph.bounds;
  const ends = quietWays(graph, new Set(), ({ path }) => path === "up.settled");
  return graph.edges.filter(usable).flatMap((edge): GraphEdge[][] => {
    const { durable } = nodeAt(graph, edge.from).expected;
    const isCutOff = edge.event.type === "crash" && durable.listed > frames;
    const isLongest = durable.listed === frames + framesAlone;
    const isWhole = edge.event.type === "stream.end" && isLongest;
    const path = pathTo(tree, edge.from);
    if (framesAlone === 0 || !(isCutOff || isWhole) || !isBetweenFrames(graph, edge.from) || path === undefined)
      return [];
    const watch = (edges: readonly GraphEdge[]): GraphEdge[] => watched(graph, edges, usable);
    const rest = follow(ends, edge.to);
    const spoils = nodeAt(graph, edge.to).edges.find(({ event }) => event.type === "frames.damage");
    if (!isLongest || spoils === undefined || !usable(spoils)) return [watch([...path, edge, ...rest])];
    // Who looks before the recovery, and who does not: either may be the first to read the list.
    const spoilt = [...path, edge, spoils];
    return [watch([...path, edge, ...rest]), watch([...spoilt, ...rest]), [...spoilt, ...rest]];
  });
}

const nodeAt = (graph: Graph, index: number) => graph.nodes[index] as Graph["nodes"][number];

/** The provider is asked for its next event, and every frame before it is stored. */
const isBetweenFrames = (graph: Graph, node: number): boolean =>
  nodeAt(graph, node).edges.some(({ event }) => event.type === "stream.end") && snapshotAt(graph, node) !== undefined;

const snapshotAt = (graph: Graph, node: number): GraphEdge | undefined =>
  nodeAt(graph, node).edges.find((edge) => edge.event.type === "snapshot" && isMainCase(edge) && edge.to === node);

/** The path with a snapshot wherever some of a stream is stored and nothing is on the line. */
function watched(graph: Graph, path: readonly GraphEdge[], usable: (edge: GraphEdge) => boolean): GraphEdge[] {
  return path.flatMap((edge) => {
    const snapshot = nodeAt(graph, edge.to).expected.durable.listed > 0 ? snapshotAt(graph, edge.to) : undefined;
    return snapshot !== undefined && usable(snapshot) ? [edge, snapshot] : [edge];
  });
}
