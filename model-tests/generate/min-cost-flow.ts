/**
 * Minimum-cost flow with unit costs and unlimited edges, by the primal-dual method: shortest distances from the sources,
 * then a blocking flow along tight edges, until every demand is met. Distances in a lifecycle graph are short, so the
 * number of rounds is small.
 */

export interface FlowEdge {
  readonly from: number;
  readonly to: number;
}

/**
 * @param supply how much each node can give (`Infinity` allowed); @param demand how much each node needs.
 * @returns the flow on each edge; its sum is the least number of extra steps.
 */
export function minCostFlow(
  nodes: number,
  edges: readonly FlowEdge[],
  supply: Float64Array,
  demand: Float64Array,
): Int32Array {
  const flow = new Int32Array(edges.length);
  const network = new Network(nodes, edges, flow);
  const given = supply.slice();
  const needed = demand.slice();
  while (needed.some((amount) => amount > 0)) {
    const distance = network.distances(given);
    if (!network.advance(distance, given, needed)) throw new Error("A node that must be reached cannot be");
  }
  return flow;
}

class Network {
  readonly #edges: readonly FlowEdge[];
  readonly #flow: Int32Array;
  readonly #out: number[][];
  readonly #in: number[][];

  constructor(nodes: number, edges: readonly FlowEdge[], flow: Int32Array) {
    this.#edges = edges;
    this.#flow = flow;
    this.#out = Array.from({ length: nodes }, () => []);
    this.#in = Array.from({ length: nodes }, () => []);
    edges.forEach((edge, index) => {
      this.#out[edge.from]?.push(index);
      this.#in[edge.to]?.push(index);
    });
  }

  /** Bellman-Ford over a queue: residual edges backwards cost -1. */
  distances(given: Float64Array): Int32Array {
    const far = 0x3fffffff;
    const distance = new Int32Array(this.#out.length).fill(far);
    const queued = new Uint8Array(this.#out.length);
    const queue: number[] = [];
    given.forEach((amount, node) => {
      if (amount <= 0) return;
      distance[node] = 0;
      queue.push(node);
      queued[node] = 1;
    });
    const relax = (to: number, candidate: number): void => {
      if (candidate >= (distance[to] as number)) return;
      distance[to] = candidate;
      if (!queued[to]) {
        queued[to] = 1;
        queue.push(to);
      }
    };
    for (let at = 0; at < queue.length; at++) {
      const node = queue[at] as number;
      queued[node] = 0;
      const here = distance[node] as number;
      for (const edge of this.#out[node] as number[]) relax((this.#edges[edge] as FlowEdge).to, here + 1);
      for (const edge of this.#in[node] as number[]) {
        if ((this.#flow[edge] as number) > 0) relax((this.#edges[edge] as FlowEdge).from, here - 1);
      }
    }
    return distance;
  }

  /** Serve the demands that are nearest now, each along tight edges back to a source. */
  advance(distance: Int32Array, given: Float64Array, needed: Float64Array): boolean {
    let nearest = 0x3fffffff;
    needed.forEach((amount, node) => {
      if (amount > 0) nearest = Math.min(nearest, distance[node] as number);
    });
    let advanced = false;
    const dead = new Uint8Array(this.#out.length);
    needed.forEach((_, node) => {
      if (distance[node] !== nearest) return;
      while ((needed[node] as number) > 0) {
        const sent = this.#trace(node, needed[node] as number, distance, given, dead, new Set());
        if (sent === 0) break;
        needed[node] = (needed[node] as number) - sent;
        advanced = true;
      }
    });
    return advanced;
  }

  /** Walk tight edges from a demand back to a source; returns how much could be sent. */
  #trace(
    node: number,
    amount: number,
    distance: Int32Array,
    given: Float64Array,
    dead: Uint8Array,
    path: Set<number>,
  ): number {
    const here = distance[node] as number;
    if (here === 0 && (given[node] as number) > 0) {
      const sent = Math.min(amount, given[node] as number);
      given[node] = (given[node] as number) - sent;
      return sent;
    }
    if (dead[node] || path.has(node)) return 0;
    path.add(node);
    for (const edge of this.#in[node] as number[]) {
      const from = (this.#edges[edge] as FlowEdge).from;
      if (distance[from] !== here - 1) continue;
      const sent = this.#trace(from, amount, distance, given, dead, path);
      if (sent > 0) {
        this.#flow[edge] = (this.#flow[edge] as number) + sent;
        return sent;
      }
    }
    for (const edge of this.#out[node] as number[]) {
      const to = (this.#edges[edge] as FlowEdge).to;
      const back = this.#flow[edge] as number;
      if (back === 0 || distance[to] !== here + 1) continue;
      const sent = this.#trace(to, Math.min(amount, back), distance, given, dead, path);
      if (sent > 0) {
        this.#flow[edge] = (this.#flow[edge] as number) - sent;
        return sent;
      }
    }
    path.delete(node);
    dead[node] = 1;
    return 0;
  }
}
