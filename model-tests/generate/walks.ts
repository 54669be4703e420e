/** Random walks over the graph: schedules with histories that no shortest path has. The same seed gives the same walks. */
import type { Graph, GraphEdge } from "../explore/graph.ts";
import { isMainCase, type Schedule } from "./schedule.ts";

/** How many walks, and how many steps each. */
export interface WalkOptions {
  readonly count: number;
  readonly length: number;
  readonly seed: number;
}

/** How often in a hundred a walk strays from its way. */
const strays = 20;

/**
 * Each walk goes from one random state of the graph to another, by random shortest ways, and strays from them now and then.
 * Steps at random alone would hardly ever come to a second attempt.
 *
 * @param allowed the edges that an implementation is known to offer. A walk ends where nothing is allowed.
 */
export function walks(
  graph: Graph,
  { count, length, seed }: WalkOptions,
  allowed: (edge: GraphEdge) => boolean = () => true,
): Schedule[] {
  const walker = new Walker(graph, seed, (edge) => isMainCase(edge) && allowed(edge));
  return Array.from({ length: count }, () => ({ edges: walker.walk(length) }));
}

class Walker {
  readonly #graph: Graph;
  readonly #below: (bound: number) => number;
  readonly #outgoing: readonly (readonly GraphEdge[])[];
  readonly #incoming: readonly (readonly GraphEdge[])[];

  constructor(graph: Graph, seed: number, allowed: (edge: GraphEdge) => boolean) {
    const incoming: GraphEdge[][] = graph.nodes.map(() => []);
    for (const edge of graph.edges) if (allowed(edge)) incoming[edge.to]?.push(edge);
    this.#graph = graph;
    this.#below = numbersBelow(seed);
    this.#outgoing = graph.nodes.map(({ edges }) => edges.filter(allowed));
    this.#incoming = incoming;
  }

  walk(length: number): GraphEdge[] {
    const edges: GraphEdge[] = [];
    let at = 0;
    let distances = this.#distancesToRandom();
    while (edges.length < length) {
      if (distances[at] === 0) distances = this.#distancesToRandom();
      const edge = this.#choose(at, distances);
      if (edge === undefined) break;
      edges.push(edge);
      at = edge.to;
    }
    return edges;
  }

  #choose(at: number, distances: Int32Array): GraphEdge | undefined {
    const possible = this.#outgoing[at] ?? [];
    const nearer = possible.filter(({ to }) => (distances[to] as number) === (distances[at] as number) - 1);
    const edges = nearer.length === 0 || this.#below(100) < strays ? possible : nearer;
    return edges[this.#below(edges.length)];
  }

  /** How many steps each state is away from one chosen at random; -2 where no way leads there. */
  #distancesToRandom(): Int32Array {
    const target = this.#below(this.#graph.nodes.length);
    const distances = new Int32Array(this.#graph.nodes.length).fill(-2);
    distances[target] = 0;
    const queue = [target];
    for (let next = 0; next < queue.length; next++) {
      const to = queue[next] as number;
      for (const { from } of this.#incoming[to] ?? []) {
        if (distances[from] !== -2) continue;
        distances[from] = (distances[to] as number) + 1;
        queue.push(from);
      }
    }
    return distances;
  }
}

/** Whole numbers from 0 up to a bound, in a sequence that the seed fixes on every machine (xorshift, Marsaglia 2003). */
function numbersBelow(seed: number): (bound: number) => number {
  let state = (seed ^ 0x9e3779b9) >>> 0 || 1;
  return (bound) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}
