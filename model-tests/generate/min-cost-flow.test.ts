/** The flow that makes tours short is right: compared with a search that tries all on small graphs. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type FlowEdge, minCostFlow } from "./min-cost-flow.ts";

const edgesOf = (...pairs: readonly (readonly [number, number])[]): FlowEdge[] =>
  pairs.map(([from, to]) => ({ from, to }));
const sum = (flow: Int32Array): number => flow.reduce((total, amount) => total + amount, 0);

function flowOf(nodes: number, edges: readonly FlowEdge[], supply: readonly number[], demand: readonly number[]) {
  return minCostFlow(nodes, edges, Float64Array.from(supply), Float64Array.from(demand));
}

describe("minimum-cost flow", () => {
  test("sends each unit along the shortest path", () => {
    const edges = edgesOf([0, 1], [1, 2], [0, 2]);

    expect([...flowOf(3, edges, [Number.POSITIVE_INFINITY, 0, 0], [0, 1, 2])]).toEqual([1, 0, 2]);
  });

  test("takes back what the nearest demand was given when another needs it more", () => {
    // Node 0 can serve 2 at once or 4 over 3; node 1 can serve only 2.
    const edges = edgesOf([0, 2], [0, 3], [3, 4], [1, 2]);

    const flow = flowOf(5, edges, [1, 1, 0, 0, 0], [0, 0, 1, 0, 1]);

    expect([...flow]).toEqual([0, 1, 1, 1]);
  });

  test("uses one edge as often as it must", () => {
    expect([...flowOf(2, edgesOf([0, 1]), [Number.POSITIVE_INFINITY, 0], [0, 7])]).toEqual([7]);
  });

  test("needs no edge when nothing is demanded", () => {
    expect([...flowOf(2, edgesOf([0, 1]), [1, 0], [0, 0])]).toEqual([0]);
  });

  test("says so when a demand cannot be served", () => {
    expect(() => flowOf(2, edgesOf([1, 0]), [1, 0], [0, 1])).toThrow("cannot be");
    expect(() => flowOf(2, edgesOf([0, 1]), [1, 0], [0, 2])).toThrow("cannot be");
  });

  test("leaves what it was given alone", () => {
    const supply = Float64Array.from([1, 0]);
    const demand = Float64Array.from([0, 1]);

    minCostFlow(2, edgesOf([0, 1]), supply, demand);

    expect([...supply, ...demand]).toEqual([1, 0, 0, 1]);
  });

  test("costs what the cheapest assignment of demands to supplies costs, on every small graph", () => {
    fc.assert(
      fc.property(smallProblem(), ({ nodes, edges, supply, demand }) => {
        const least = cheapestAssignment(nodes, edges, supply, demand);
        if (least === Number.POSITIVE_INFINITY) {
          expect(() => flowOf(nodes, edges, supply, demand)).toThrow("cannot be");
          return;
        }
        const flow = flowOf(nodes, edges, supply, demand);
        expect(sum(flow)).toBe(least);
        expect(flow.every((amount) => amount >= 0)).toBe(true);
        for (let node = 0; node < nodes; node++) {
          const into = sum(flow.filter((_, edge) => edges[edge]?.to === node));
          const out = sum(flow.filter((_, edge) => edges[edge]?.from === node));
          expect(into + (supply[node] ?? 0)).toBeGreaterThanOrEqual(out + (demand[node] ?? 0));
        }
      }),
      { seed: 7, numRuns: 1_000 },
    );
  });
});

const smallProblem = () =>
  fc.integer({ min: 1, max: 5 }).chain((nodes) => {
    const node = fc.integer({ min: 0, max: nodes - 1 });
    const amounts = (most: number) =>
      fc.array(fc.integer({ min: 0, max: most }), { minLength: nodes, maxLength: nodes });
    return fc.record({
      nodes: fc.constant(nodes),
      edges: fc.array(fc.record({ from: node, to: node }), { maxLength: 12 }),
      supply: amounts(2),
      demand: amounts(1),
    });
  });

/** Edges carry any amount, so the optimum is the cheapest way to give each unit of demand a unit of supply. */
function cheapestAssignment(
  nodes: number,
  edges: readonly FlowEdge[],
  supply: readonly number[],
  demand: readonly number[],
): number {
  const far = Number.POSITIVE_INFINITY;
  const steps = Array.from({ length: nodes }, (_, from) =>
    Array.from({ length: nodes }, (_, to) =>
      from === to ? 0 : edges.some((e) => e.from === from && e.to === to) ? 1 : far,
    ),
  );
  const between = (from: number, to: number): number => steps[from]?.[to] ?? far;
  for (let via = 0; via < nodes; via++) {
    for (const [from, row] of steps.entries()) {
      for (let to = 0; to < nodes; to++) row[to] = Math.min(between(from, to), between(from, via) + between(via, to));
    }
  }
  const units = demand.flatMap((amount, node) => Array.from({ length: amount }, () => node));
  const assign = (at: number, left: readonly number[]): number => {
    const unit = units[at];
    if (unit === undefined) return 0;
    let least = far;
    for (const [from, amount] of left.entries()) {
      if (amount === 0) continue;
      const rest = left.map((other, node) => (node === from ? other - 1 : other));
      least = Math.min(least, between(from, unit) + assign(at + 1, rest));
    }
    return least;
  };
  return assign(0, supply);
}
