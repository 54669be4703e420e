/** Graphs, subjects and schedules for the tests of the checker itself. */
import { type Bounds, boundsByName } from "../../machines/index.ts";
import { MemoryStorage, type Storage } from "../../src/index.ts";
import type { Adapter, Incarnation } from "../adapters/adapter.ts";
import { referenceAdapter } from "../adapters/reference.ts";
import type { Subject } from "../drive/run.ts";
import type { Graph, GraphEdge, GraphNode } from "../explore/graph.ts";

/** How long a hook may take that explores a graph (vitest grants hooks ten seconds). */
export const exploringMs = 120_000;

/** Bounds for tests that need the shape of the graph, not its size. */
const tinyBounds: Bounds = {
  ...boundsByName.small,
  frames: 1,
  attempts: 1,
  ends: ["stop", "terminal", "aborted"],
};

/** A graph of bare edges, `[from, to]` each; the last node is idle. */
export function toyGraph(nodeCount: number, pairs: readonly (readonly [number, number])[]): Graph {
  const edges = pairs.map(
    ([from, to], index): GraphEdge => ({
      index,
      from,
      to,
      event: { type: "land" },
      action: `step ${index}`,
      effects: [],
    }),
  );
  const nodes = Array.from(
    { length: nodeCount },
    (_, index) =>
      ({
        index,
        key: String(index),
        path: `node ${index}`,
        resting: index === nodeCount - 1,
        edges: edges.filter(({ from }) => from === index),
      }) as unknown as GraphNode,
  );
  return { bounds: tinyBounds, nodes, edges, exploreMs: 0 };
}

/** Throws where a schedule is no path from the initial state. */
export function assertPath(edges: readonly GraphEdge[]): void {
  let at = 0;
  for (const edge of edges) {
    if (edge.from !== at) throw new Error(`edge ${edge.index} starts at ${edge.from}, the path stands at ${at}`);
    at = edge.to;
  }
}

export const newStore = (): Storage => new MemoryStorage({ now: () => 0 });

export const reference: Subject = { adapter: referenceAdapter, newStore };

/** The reference adapter with some calls of its incarnation replaced. */
export function misbehaving(change: (incarnation: Incarnation) => Partial<Incarnation>, name = "misbehaving"): Subject {
  const adapter: Adapter = {
    ...referenceAdapter,
    name,
    boot: async (surroundings) => {
      const incarnation = await referenceAdapter.boot(surroundings);
      return { ...incarnation, ...change(incarnation) };
    },
  };
  return { adapter, newStore };
}

/** An implementation that refuses every cancel. */
export const refusesCancel = misbehaving(() => ({ cancel: () => Promise.resolve("refused") }), "refuses cancel");
