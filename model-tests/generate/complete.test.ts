/** Complete suites: the separate checker finds them whole, finds every gap, and no simulated fault passes them. */
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { boundsByName } from "../../machines/index.ts";
import { type Certificate, packed } from "../certify/certificate.ts";
import { checkCertificate } from "../certify/check.ts";
import { areApart, shownBy, shownIn } from "../certify/possible.ts";
import { explore, type Graph, type GraphEdge } from "../explore/graph.ts";
import { assertPath, exploringMs } from "../testing/graphs.ts";
import { apartAtSight, effectsApart, tooAlike } from "./apart.ts";
import { completeSuite } from "./complete.ts";
import { pairTours } from "./pairs.ts";
import { isMainCase, type Schedule } from "./schedule.ts";

let graph: Graph;
let suites: readonly (readonly Schedule[])[];
beforeAll(() => {
  graph = explore({ ...boundsByName.small, frames: 1, attempts: 1, polls: 0, ends: ["stop", "terminal", "aborted"] });
  suites = [0, 1].map((k) => [...completeSuite(graph, k).tests()]);
}, exploringMs);

const certificateOf = (k: number, tests: readonly Schedule[]): Certificate => ({
  kind: "assistant-durability certificate",
  version: 1,
  machine: { name: "operation", digest: "" },
  bounds: "small",
  sut: "sample",
  store: "memory",
  k,
  access: completeSuite(graph, k).access.map((edge) => edge?.index ?? null),
  leftOut: [],
  runs: [...packed(tests.map(({ edges }) => edges.map(({ index }) => index)))],
});

describe("a complete suite", () => {
  test("has paths from the initial state, none the beginning of another", () => {
    for (const tests of suites) {
      const words = tests.map(({ edges }) => `${edges.map(({ index }) => index).join(" ")} `).sort();
      for (const { edges } of tests) assertPath(edges);
      words.forEach((word, at) => {
        if (at > 0) expect(word.startsWith(words[at - 1] as string)).toBe(false);
      });
    }
  });

  test.each([0, 1])("is whole for the separate checker with k = %i", (k) => {
    const checked = checkCertificate(graph, certificateOf(k, suites[k] as readonly Schedule[]));

    expect(checked.missing).toEqual([]);
    expect(checked).toMatchObject({ k, states: graph.nodes.length, runs: suites[k]?.length });
    expect(checked.toldApart).toBeGreaterThan(0);
  });

  test("for k = 0 is not whole for k = 1", () => {
    expect(checkCertificate(graph, certificateOf(1, suites[0] as readonly Schedule[])).missing).not.toEqual([]);
  });

  test("lacks something for the separate checker when one transition is not driven from its access path", () => {
    const { access } = completeSuite(graph, 0);
    const isFirst = (edges: readonly GraphEdge[], edge: GraphEdge): boolean =>
      edges.slice(0, edges.indexOf(edge)).every((step) => access[step.to] === step);
    const wanted = graph.edges.filter(isMainCase);
    fc.assert(
      fc.property(fc.nat(wanted.length - 1), (at) => {
        const gap = wanted[at] as GraphEdge;
        const tests = (suites[0] as readonly Schedule[]).map(({ edges }) =>
          edges.includes(gap) && isFirst(edges, gap) ? { edges: edges.slice(0, edges.indexOf(gap)) } : { edges },
        );
        return checkCertificate(graph, certificateOf(0, tests)).missing.length > 0;
      }),
      { seed: 1, numRuns: 12 },
    );
  });
});

describe("what tells states apart", () => {
  test("is the same for the generator and for the separate checker", () => {
    const unlike = graph.nodes.flatMap((one) =>
      graph.nodes.filter((other) => {
        const counted = areApart(shownIn(one), shownIn(other)) || areApart(shownIn(other), shownIn(one));
        return one !== other && apartAtSight(one, other) !== counted;
      }),
    );
    const edges = [...new Map(graph.edges.map((edge) => [JSON.stringify(edge.effects), edge])).values()];
    const unlikeEdges = edges.flatMap((one) =>
      edges.filter((other) => {
        const counted = areApart(shownBy(one), shownBy(other)) || areApart(shownBy(other), shownBy(one));
        return effectsApart(one, other) !== counted;
      }),
    );

    expect(unlike).toEqual([]);
    expect(unlikeEdges).toEqual([]);
  });
});

/** Where an implementation with one hidden fault is, and whether the fault has come about. */
type Fault = (before: GraphEdge | undefined, edge: GraphEdge) => number;

/** Whether a tester notices the fault: a step that the specification does not allow where it believes to be. */
function isNoticed({ edges }: Schedule, fault: Fault): boolean {
  let hidden = 0;
  for (const [at, edge] of edges.entries()) {
    const taken = graph.nodes[hidden]?.edges.find(({ event }) => JSON.stringify(event) === JSON.stringify(edge.event));
    // What is not offered is not noticed: a tester cannot tell a refusal from a choice.
    if (taken === undefined) return false;
    hidden = fault(edges[at - 1], taken);
    const [seen, wanted] = [graph.nodes[hidden], graph.nodes[edge.to]];
    if (seen === undefined || wanted === undefined) return false;
    if (effectsApart(edge, taken) || apartAtSight(seen, wanted)) return true;
  }
  return false;
}

/** The tests that take each edge: no other can meet a fault of it. */
function byEdge(tests: readonly Schedule[]): (edge: GraphEdge) => readonly Schedule[] {
  const index = new Map<GraphEdge, Schedule[]>();
  for (const test of tests) {
    for (const edge of new Set(test.edges)) {
      const own = index.get(edge) ?? [];
      own.push(test);
      index.set(edge, own);
    }
  }
  return (edge) => index.get(edge) ?? [];
}

describe("simulated faults", () => {
  const faulty = (wrong: { before: GraphEdge | undefined; edge: GraphEdge; to: number }): Fault => {
    return (before, edge) =>
      edge === wrong.edge && (wrong.before === undefined || before === wrong.before) ? wrong.to : edge.to;
  };

  test("of one step, visible and only after one other step: pair tours notice each", () => {
    const taking = byEdge(pairTours(graph, () => true).schedules);
    const pairs = graph.edges
      .filter(isMainCase)
      .flatMap((before) => (graph.nodes[before.to]?.edges ?? []).filter(isMainCase).map((edge) => ({ before, edge })));
    fc.assert(
      fc.property(fc.nat(pairs.length - 1), fc.nat(graph.nodes.length - 1), (at, to) => {
        const { before, edge } = pairs[at] as (typeof pairs)[number];
        const [wrong, right] = [graph.nodes[to], graph.nodes[edge.to]];
        fc.pre(wrong !== undefined && right !== undefined && apartAtSight(wrong, right));
        return taking(edge).some((test) => isNoticed(test, faulty({ before, edge, to })));
      }),
      { seed: 1, numRuns: 200 },
    );
  });

  test("that lead to a place that looks the same: a complete suite notices each, for k = 0 and, one step late, for k = 1", () => {
    const [taking, takingLate] = suites.map(byEdge);
    const separable = tooAlike(graph).filter(({ word }) => word !== undefined);
    const pairs = separable.flatMap(({ one, other }) => [
      { right: one.index, wrong: other.index },
      { right: other.index, wrong: one.index },
    ]);
    fc.assert(
      fc.property(fc.nat(pairs.length - 1), fc.nat(), fc.nat(), (at, way, late) => {
        const { right, wrong } = pairs[at] as (typeof pairs)[number];
        const into = graph.edges.filter((edge) => edge.to === right && isMainCase(edge));
        const edge = into[way % into.length];
        fc.pre(edge !== undefined);
        const before = graph.edges.filter(({ to }) => to === edge?.from).filter(isMainCase);
        const one = { before: undefined, edge: edge as GraphEdge, to: wrong };
        const afterOne = { ...one, before: before[late % Math.max(1, before.length)] };
        return (
          taking?.(one.edge).some((test) => isNoticed(test, faulty(one))) === true &&
          takingLate?.(one.edge).some((test) => isNoticed(test, faulty(afterOne))) === true
        );
      }),
      { seed: 1, numRuns: 200 },
    );
  });
});
