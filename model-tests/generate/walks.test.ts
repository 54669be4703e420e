/** What random walks are made of, and that a seed fixes them. */
import { expect, test } from "vitest";
import { boundsByName } from "../../machines/index.ts";
import { explore } from "../explore/graph.ts";
import { pathTo, pathTree } from "./schedule.ts";
import { walks } from "./walks.ts";

const graph = explore(boundsByName.small);
const options = { count: 200, length: 40, seed: 1 };
const indexes = (seed: number): string[] =>
  walks(graph, { ...options, seed }).map(({ edges }) => edges.map(({ index }) => index).join());

test("each walk starts at the beginning and each of its steps follows from the one before", () => {
  for (const { edges } of walks(graph, options)) {
    expect(edges).toHaveLength(40);
    expect(edges.map(({ from }) => from)).toEqual([0, ...edges.slice(0, -1).map(({ to }) => to)]);
  }
});

test("the same seed gives the same walks, another seed others", () => {
  expect(indexes(1)).toEqual(indexes(1));
  expect(new Set([...indexes(1), ...indexes(2)]).size).toBe(400);
});

test("walks go through states by more ways than a shortest path", () => {
  const tree = pathTree(graph);
  const ways = new Map<number, Set<string>>();
  for (const { edges } of walks(graph, options)) {
    edges.forEach(({ from, action }) => {
      const found = ways.get(from) ?? new Set<string>();
      ways.set(from, found.add(action));
    });
  }
  expect(ways.size).toBeGreaterThan(graph.nodes.length / 4);
  expect([...ways.keys()].every((node) => pathTo(tree, node) !== undefined)).toBe(true);
});

test("a walk takes no edge that is not allowed, and ends where none is", () => {
  const schedules = walks(graph, options, ({ event, from }) => event.type === "accept" && from === 0);
  expect(schedules.every(({ edges }) => edges.length === 1 && edges[0]?.event.type === "accept")).toBe(true);
});
