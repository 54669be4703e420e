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

/**
 * One schedule for each number of frames that only a stream alone has, cut off there, and the longest to its end. With a spoilt
 * frame the longest, and one that has only its start.
 */
function longStreams({ graph, tree, usable }: Roads): GraphEdge[][] {
  const longest = graph.bounds.frames + graph.bounds.framesAlone;
  const ends = quietWays(graph, new Set(), ({ path }) => path === "up.settled");
  const listedAt = ({ from }: GraphEdge): number => nodeAt(graph, from).expected.durable.listed;
  const between = graph.edges.filter((edge) => usable(edge) && isBetweenFrames(graph, edge.from));
  const whole = between.filter((edge) => edge.event.type === "stream.end" && listedAt(edge) === longest);
  const cuts = between.filter((edge) => edge.event.type === "crash");
  const shortest = cuts.find((edge) => listedAt(edge) === 1);
  const stops = cuts.filter((edge) => edge === shortest || listedAt(edge) > graph.bounds.frames);
  return graph.bounds.framesAlone === 0
    ? []
    : [...whole, ...stops].flatMap((edge) => {
        const path = pathTo(tree, edge.from);
        if (path === undefined) return [];
        const [begun, rest] = [[...path, edge], follow(ends, edge.to)];
        const plain = watched(graph, [...begun, ...rest], usable);
        const spoils = nodeAt(graph, edge.to).edges.find((next) => next.event.type === "frames.damage" && usable(next));
        if (spoils === undefined || !(edge === shortest || listedAt(edge) === longest)) return [plain];
        // Who looks before the recovery, and who does not: either may be the first to read the list.
        const spoilt = [...begun, spoils, ...rest];
        return [plain, watched(graph, spoilt, usable), spoilt];
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
