/** Pair tours drive every transition right after each one that can come before it, and true races are found in the graph. */
import { beforeAll, describe, expect, test } from "vitest";
import { boundsByName } from "../../machines/index.ts";
import { classesOf } from "../explore/classes.ts";
import { explore, type Graph } from "../explore/graph.ts";
import { assertPath, exploringMs, toyGraph } from "../testing/graphs.ts";
import { pairOf, pairsIn, pairsOf, pairTours } from "./pairs.ts";
import { isMainCase } from "./schedule.ts";
import { rowsNaming, trueRacesOf } from "./true-races.ts";

let small: Graph;
beforeAll(() => {
  small = explore(boundsByName.small);
}, exploringMs);

const all = () => true;

describe("pairs of transitions", () => {
  test("are those that a run can drive one after the other, and the beginnings of runs", () => {
    const graph = toyGraph(3, [
      [0, 1],
      [1, 1],
      [1, 2],
    ]);

    const found = pairsOf(graph).edges.map(({ first, second }) => [first?.index, second.index]);

    expect(found).toEqual([
      [undefined, 0],
      [0, 1],
      [0, 2],
      [1, 1],
      [1, 2],
    ]);
  });

  test("are all driven by the tours over them, each tour a path from the initial state, in few steps", () => {
    const { schedules, stepsLowerBound } = pairTours(small, all);

    const driven = new Set(schedules.flatMap(({ edges }) => pairsIn(small, edges)));
    for (const { edges } of schedules) assertPath(edges);
    expect(driven.size).toBe(pairsOf(small).edges.length);
    const steps = schedules.reduce((sum, { edges }) => sum + edges.length, 0);
    expect(steps).toBeGreaterThanOrEqual(stepsLowerBound);
    expect(steps).toBeLessThanOrEqual(1.05 * stepsLowerBound);
  });

  test("that are not usable are on no tour", () => {
    const lost = pairsOf(small).edges.find(({ first }) => first !== undefined);

    const { schedules } = pairTours(small, all, (pair) => pair !== lost);

    expect(schedules.flatMap(({ edges }) => pairsIn(small, edges))).not.toContain(lost);
  });
});

describe("true races", () => {
  test("are both orders of two actions of one state, each order a pair", () => {
    for (const { state, orders } of trueRacesOf(small)) {
      const [one, other] = orders.map(({ first, second }) => [first?.action, second.action]);
      expect(one).toEqual(other?.toReversed());
      for (const { first, second } of orders) {
        expect(first?.from).toBe(state.index);
        expect(second.from).toBe(first?.to);
      }
    }
  });

  test("leave out exactly the orders that end alike and show the same", () => {
    const classes = classesOf(small);
    const found = new Set(trueRacesOf(small).flatMap(({ orders }) => orders));
    for (const { edges } of small.nodes) {
      for (const first of edges.filter(isMainCase)) {
        const second = small.nodes[first.to]?.edges.find(({ action }) => edges.some((edge) => edge.action === action));
        const alone = edges.filter(isMainCase).find(({ action }) => action === second?.action);
        if (second === undefined || alone === undefined || alone === first || !isMainCase(second)) continue;
        const back = small.nodes[alone.to]?.edges.filter(isMainCase).find(({ action }) => action === first.action);
        const pair = pairOf(small, first, second);
        if (back === undefined || pair === undefined) continue;
        const alike =
          classes[back.to] === classes[second.to] &&
          JSON.stringify([first.effects, second.effects]) === JSON.stringify([back.effects, alone.effects]);
        expect(found.has(pair)).toBe(!alike);
      }
    }
  });

  test("are named by some rows of the table, and not all of them", () => {
    const named = trueRacesOf(small).map((race) => rowsNaming(small, race).length);

    expect(named.some((rows) => rows > 0)).toBe(true);
    expect(named.some((rows) => rows === 0)).toBe(true);
  });
});

describe("classes of states", () => {
  test("are as many as the states of a machine that repeats nothing", () => {
    const chain = toyGraph(4, [
      [0, 1],
      [1, 2],
      [2, 3],
    ]);

    expect([...classesOf(chain)]).toEqual([0, 1, 2, 3]);
  });

  test("hold states together that predict the same for ever", () => {
    const classes = classesOf(small);
    for (const one of small.nodes) {
      const first = small.nodes[classes.indexOf(classes[one.index] as number)];
      const steps = (edges: typeof one.edges) =>
        edges.map(({ event, effects, to }) => JSON.stringify([event, effects, classes[to]])).sort();
      expect(one.expected).toEqual(first?.expected);
      expect(steps(one.edges)).toEqual(steps(first?.edges ?? []));
    }
    expect(new Set(classes).size).toBeLessThan(small.nodes.length);
  });
});
