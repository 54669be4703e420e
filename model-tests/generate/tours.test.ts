/** Tours drive every transition that they can reach, in few steps. */
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { boundsByName } from "../../machines/index.ts";
import { explore, type Graph } from "../explore/graph.ts";
import { assertPath, exploringMs, toyGraph } from "../testing/graphs.ts";
import { isMainCase, pathTree } from "./schedule.ts";
import { type Tours, tours } from "./tours.ts";

let small: Graph;
beforeAll(() => {
  small = explore(boundsByName.small);
}, exploringMs);

const all = () => true;
const drivenBy = ({ schedules }: Tours): Set<number> =>
  new Set(schedules.flatMap(({ edges }) => edges.map(({ index }) => index)));
const stepsOf = ({ schedules }: Tours): number => schedules.reduce((steps, { edges }) => steps + edges.length, 0);

describe("tours", () => {
  test("drive every transition of the small graph, each run a path from the initial state", () => {
    const found = tours(small, all);

    expect(drivenBy(found).size).toBe(small.edges.length);
    for (const { edges } of found.schedules) assertPath(edges);
  });

  test("take at least the least number of steps, and at most 1.2 times as many", () => {
    for (const wanted of [all, isMainCase]) {
      const found = tours(small, wanted, wanted);

      expect(stepsOf(found)).toBeGreaterThanOrEqual(found.stepsLowerBound);
      expect(stepsOf(found)).toBeLessThanOrEqual(1.2 * found.stepsLowerBound);
    }
  });

  test("drive only usable edges", () => {
    const found = tours(small, isMainCase, isMainCase);

    expect(found.schedules.every(({ edges }) => edges.every(isMainCase))).toBe(true);
    expect(drivenBy(found).size).toBe(small.edges.filter(isMainCase).length);
  });

  test("need one run where one walk does: a circle and a tail", () => {
    const graph = toyGraph(3, [
      [0, 1],
      [1, 0],
      [0, 2],
    ]);

    const found = tours(graph, all);

    expect(found.stepsLowerBound).toBe(3);
    expect(found.schedules).toHaveLength(1);
  });

  test("go back to the start when a fork must be driven twice", () => {
    const graph = toyGraph(4, [
      [0, 1],
      [1, 2],
      [1, 3],
    ]);

    const found = tours(graph, all);

    expect(found.stepsLowerBound).toBe(4);
    expect(stepsOf(found)).toBe(4);
    expect(found.schedules).toHaveLength(2);
  });

  test("pass over what is not required only as far as it leads to what is", () => {
    const graph = toyGraph(4, [
      [0, 1],
      [1, 2],
      [0, 3],
    ]);

    const found = tours(graph, ({ index }) => index === 1);

    expect(found.schedules.map(({ edges }) => edges.map(({ index }) => index))).toEqual([[0, 1]]);
  });

  test("leave out what cannot be reached over usable edges", () => {
    const graph = toyGraph(4, [
      [0, 1],
      [1, 2],
      [0, 3],
    ]);

    expect([...drivenBy(tours(graph, all, ({ index }) => index !== 0))]).toEqual([2]);
    expect(tours(graph, all, () => false)).toEqual({ schedules: [], stepsLowerBound: 0 });
  });

  test("reach a circle that no other walk enters", () => {
    const graph = toyGraph(4, [
      [0, 1],
      [1, 2],
      [2, 1],
      [0, 3],
    ]);

    const found = tours(graph, ({ index }) => index !== 0);

    expect([...drivenBy(found)].sort()).toEqual([0, 1, 2, 3]);
    for (const { edges } of found.schedules) assertPath(edges);
  });

  test("cover what is required and stay paths, on every small graph", () => {
    fc.assert(
      fc.property(problems(), ({ graph, required }) => {
        const found = tours(graph, ({ index }) => required.has(index));
        const tree = pathTree(graph);
        const reachable = graph.edges.filter(({ from }) => from === 0 || tree[from] !== undefined);
        const driven = drivenBy(found);
        for (const { index } of reachable) if (required.has(index)) expect(driven).toContain(index);
        for (const { edges } of found.schedules) assertPath(edges);
        expect(stepsOf(found)).toBeGreaterThanOrEqual(found.stepsLowerBound);
      }),
      { seed: 13, numRuns: 500 },
    );
  });
});

const problems = () =>
  fc.integer({ min: 1, max: 6 }).chain((nodes) => {
    const node = fc.integer({ min: 0, max: nodes - 1 });
    return fc.array(fc.tuple(node, node, fc.boolean()), { maxLength: 14 }).map((triples) => ({
      graph: toyGraph(
        nodes,
        triples.map(([from, to]) => [from, to] as const),
      ),
      required: new Set(triples.flatMap(([, , wanted], index) => (wanted ? [index] : []))),
    }));
  });
