/** A schedule: the edges that one run drives from the initial state, and what it is for. */
import { alphabet } from "../../machines/index.ts";
import type { Graph, GraphEdge, GraphNode } from "../explore/graph.ts";

/** What of a schedule belongs to a row of the race table. */
export interface RacePurpose {
  readonly id: string;
  readonly order: 0 | 1;
  /** The position in `edges` of the first of the two actions. */
  readonly begins: number;
  /** How many edges from there the two actions are: one when the first leaves no place for the second. */
  readonly pair: number;
  /** How many edges of the run belong to the row; what follows was added for another purpose. */
  readonly length: number;
  readonly disturbance: string | undefined;
}

/** A crash at an internal commit of the last step: at which one, counted from 0, and whether it has landed. */
export interface InsidePurpose {
  readonly commit: number;
  readonly landed: boolean;
}

/** A path from the initial state that one run drives, with what it is for. */
export interface Schedule {
  readonly edges: readonly GraphEdge[];
  /** The rows that are judged by this run. */
  readonly races?: readonly RacePurpose[];
  readonly inside?: InsidePurpose;
  /** The place in the catalogue of contents of what its first request says. Default: an interrupted call, then text, by turns. */
  readonly content?: number;
  /** Whether it is a test of a complete suite: what was not driven of it is noted. */
  readonly isTest?: true;
}

/** Whether an edge is an event that nobody hopes for. */
export const isDisturbance = ({ event }: GraphEdge): boolean => alphabet[event.type].role === "disturbance";
/** Whether an edge is an ordinary step onwards: a quiet continuation has no others. */
export const isQuiet = ({ event, from, to }: GraphEdge): boolean =>
  alphabet[event.type].role === "quiet" && from !== to;

/** The case of an action that a plan counts on; an implementation may take another one. */
export const isMainCase = (edge: GraphEdge): boolean => !("kept" in edge.event) || edge.event.kept === "overlapping";

/** An edge, as far as a walk needs to know it. */
export interface Arc {
  readonly index: number;
  readonly from: number;
  readonly to: number;
}

/** A graph that walks start in at node 0: that of one operation, or of a whole session. */
export interface Walkable<E extends Arc> {
  readonly nodes: readonly { readonly path: string; readonly edges: readonly E[] }[];
  readonly edges: readonly E[];
}

/** Shortest paths from the initial state, as the edge by which each node is first reached. */
export function pathTree<E extends Arc>(
  graph: Walkable<E>,
  allowed: (edge: E) => boolean = () => true,
): (E | undefined)[] {
  const reachedBy: (E | undefined)[] = new Array(graph.nodes.length);
  const seen = new Uint8Array(graph.nodes.length);
  seen[0] = 1;
  const queue = [0];
  for (let at = 0; at < queue.length; at++) {
    for (const edge of graph.nodes[queue[at] as number]?.edges ?? []) {
      if (seen[edge.to] || !allowed(edge)) continue;
      seen[edge.to] = 1;
      reachedBy[edge.to] = edge;
      queue.push(edge.to);
    }
  }
  return reachedBy;
}

export function pathTo<E extends Arc>(tree: readonly (E | undefined)[], node: number): E[] | undefined {
  const path: E[] = [];
  for (let at = node; at !== 0; ) {
    const edge = tree[at];
    if (edge === undefined) return undefined;
    path.push(edge);
    at = edge.from;
  }
  return path.reverse();
}

/**
 * For every node the first edge of its shortest quiet way to an idle lane (N13); `undefined` where it is idle.
 *
 * @param isEnd where a way may end. Default: where nothing is under way, with a suspended operation too.
 */
export function quietWays(
  graph: Graph,
  blocked: ReadonlySet<number> = new Set(),
  isEnd = ({ resting, path }: GraphNode): boolean => resting && path !== "up.idle",
): (GraphEdge | undefined)[] {
  const incoming: GraphEdge[][] = graph.nodes.map(() => []);
  for (const edge of graph.edges) if (isQuiet(edge) && !blocked.has(edge.index)) incoming[edge.to]?.push(edge);
  const way: (GraphEdge | undefined)[] = new Array(graph.nodes.length);
  const seen = new Uint8Array(graph.nodes.length);
  const queue = graph.nodes.filter(isEnd).map((node) => node.index);
  for (const node of queue) seen[node] = 1;
  for (let at = 0; at < queue.length; at++) {
    for (const edge of incoming[queue[at] as number] ?? []) {
      if (seen[edge.from]) continue;
      seen[edge.from] = 1;
      way[edge.from] = edge;
      queue.push(edge.from);
    }
  }
  return way;
}

export function follow(ways: readonly (GraphEdge | undefined)[], from: number): GraphEdge[] {
  const path: GraphEdge[] = [];
  for (let edge = ways[from]; edge !== undefined; edge = ways[edge.to]) path.push(edge);
  return path;
}
