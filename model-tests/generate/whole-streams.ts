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

/** One schedule for each number of frames that only a stream alone has, cut off there; and one that is told to its end. */
function longStreams({ graph, tree, usable }: Roads): GraphEdge[][] {
  const { frames, framesAlone } = graph.bounds;
  const ends = quietWays(graph, new Set(), ({ path }) => path === "up.settled");
  return graph.edges.filter(usable).flatMap((edge): GraphEdge[][] => {
    const { durable } = nodeAt(graph, edge.from).expected;
    const isCutOff = edge.event.type === "crash" && durable.listed > frames;
    const isWhole = edge.event.type === "stream.end" && durable.listed === frames + framesAlone;
    if (framesAlone === 0 || !(isCutOff || isWhole) || !isBetweenFrames(graph, edge.from)) return [];
    const path = pathTo(tree, edge.from);
    return path === undefined ? [] : [watched(graph, [...path, edge, ...follow(ends, edge.to)], usable)];
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
