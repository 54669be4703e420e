/** Schedules are written as labels, read back, and made as short as the failure allows. */
import { beforeAll, describe, expect, test } from "vitest";
import { boundsByName } from "../../machines/index.ts";
import type { Adapter } from "../adapters/adapter.ts";
import { referenceAdapter } from "../adapters/reference.ts";
import { run } from "../drive/run.ts";
import { UsageError } from "../errors.ts";
import { explore, type Graph, type GraphEdge } from "../explore/graph.ts";
import { pathTo, pathTree } from "../generate/schedule.ts";
import { exploringMs } from "../testing/graphs.ts";
import { newStore, reference, refusesCancel } from "../testing/subjects.ts";
import { driveBatch } from "./batch.ts";
import { assertSameMachine, type Counterexample, digestOf, parseCounterexample } from "./counterexample.ts";
import { coverageOf, coverageTours, seededOrder, uncoveredTours } from "./coverage.ts";
import { checkDeterminism } from "./determinism.ts";
import { edgesOf, labelOf, labelsOf } from "./labels.ts";
import { minimise } from "./minimise.ts";
import { type Divergence, newTally } from "./tally.ts";

let graph: Graph;
beforeAll(() => {
  graph = explore(boundsByName.small);
}, exploringMs);

const indices = (edges: readonly GraphEdge[]): number[] => edges.map(({ index }) => index);
const accepted = ["accept", "land", "reply"];

describe("labels", () => {
  test("round trip for every edge", () => {
    const tree = pathTree(graph);

    for (const edge of graph.edges) {
      const path = [...(pathTo(tree, edge.from) as GraphEdge[]), edge];
      expect(indices(edgesOf(graph, labelsOf(graph, indices(path))))).toEqual(indices(path));
    }
  });

  test("name each edge of a state differently", () => {
    for (const { edges } of graph.nodes) expect(new Set(edges.map(labelOf)).size).toBe(edges.length);
  });

  test("that are not enabled are refused, with step and state", () => {
    expect(() => edgesOf(graph, [...accepted, "hook.release"])).toThrow(UsageError);
    expect(() => edgesOf(graph, [...accepted, "hook.release"])).toThrow(/Step 4 .*"hook.release".* up\.ready\.parked/);
    expect(() => edgesOf(graph, ["acept"])).toThrow(/Step 1 .*"acept"/);
  });

  const streaming = [...accepted, "activate", "land", "reply", "stream.start", "listener.release"];
  test.each([
    ["no action of the alphabet", ["acept"]],
    ["the state does not know the action", [...accepted, "hook.release"]],
    ["its condition does not hold", [...accepted, "fail"]],
    ["only wider bounds", [...streaming, "stream.update", "listener.release", "stream.update"]],
  ])("that are not enabled are refused with the reason: %s", (reason, labels) => {
    expect(() => edgesOf(graph, labels)).toThrow(reason);
  });
});

describe("minimising", () => {
  const padded = ["snapshot", "activate", ...accepted, "snapshot", "crash", "reopen", "snapshot", "close", "reopen"];

  /** The one divergence that a schedule shows. */
  async function divergenceOf(labels: readonly string[]): Promise<Divergence> {
    const tally = await driveBatch(refusesCancel, graph, [{ edges: edgesOf(graph, labels) }]);
    expect(tally.divergences.size).toBe(1);
    return [...tally.divergences.values()][0] as Divergence;
  }

  test("takes away what the divergence does not need", async () => {
    const divergence = await divergenceOf([...padded, "cancel"]);
    expect(divergence.schedule.length).toBe(padded.length + 1);

    const path = await minimise(refusesCancel, graph, divergence);

    expect(labelsOf(graph, path)).toEqual([...accepted, "cancel"]);
  });

  test("leaves a schedule that is as short as can be", async () => {
    const divergence = await divergenceOf([...accepted, "cancel"]);

    expect(await minimise(refusesCancel, graph, divergence)).toEqual(divergence.schedule);
  });

  test("never answers a schedule that does not show the divergence", async () => {
    const divergence = await divergenceOf([...padded, "cancel"]);

    const path = await minimise(reference, graph, divergence);

    expect(path).toEqual(divergence.schedule);
  });

  test("what it found fails in the same way when it is run from its printed labels", async () => {
    const divergence = await divergenceOf([...padded, "cancel"]);
    const printed = labelsOf(graph, await minimise(refusesCancel, graph, divergence)).join(" > ");

    const { end } = await run(refusesCancel, graph, edgesOf(graph, printed.split(" > ")));

    expect(end).toMatchObject({ kind: "diverged", mismatch: divergence.mismatch });
  });
});

describe("the determinism check", () => {
  const sample = () =>
    [[...accepted, "cancel", "land", "reply"], accepted].map((labels) => ({ edges: edgesOf(graph, labels) }));

  test("finds nothing on the reference", async () => {
    expect(await checkDeterminism(reference, graph, sample())).toEqual({ schedules: 2, steps: 9, differences: 0 });
  });

  test("notices an implementation that behaves otherwise every second time", async () => {
    let boots = 0;
    const adapter: Adapter = {
      ...referenceAdapter,
      boot: async (surroundings) => {
        const own = await referenceAdapter.boot(surroundings);
        return ++boots % 2 === 0 ? { ...own, cancel: () => Promise.resolve("refused") } : own;
      },
    };

    expect((await checkDeterminism({ adapter, newStore }, graph, sample())).differences).toBe(1);
  });

  test("notices one that only needs more turns", async () => {
    const adapter: Adapter = {
      ...referenceAdapter,
      boot: async (surroundings) => {
        const own = await referenceAdapter.boot(surroundings);
        return { ...own, cancel: () => later(5).then(() => own.cancel()) };
      },
    };

    expect((await checkDeterminism({ adapter, newStore }, graph, sample())).differences).toBe(1);
  });
});

async function later(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => void setImmediate(resolve));
}

describe("a counterexample file", () => {
  const counterexample = (): Counterexample => ({
    kind: "assistant-durability counterexample",
    version: 1,
    machine: { name: "operation", digest: digestOf(graph) },
    bounds: "small",
    sut: "reference",
    store: "memory",
    requirement: "F1",
    schedule: [...accepted, "cancel"],
    field: "commits at the store",
    expected: "cancel",
    actual: "none",
  });
  const parse = (change: object) => () =>
    parseCounterexample(JSON.stringify({ ...counterexample(), ...change }), "bad.json");

  test("is read as it was written", () => {
    expect(parse({})()).toEqual(counterexample());
  });

  test.each<[string, object, RegExp]>([
    ["of another kind", { kind: "report" }, /is not a counterexample/],
    ["of another version", { version: 2 }, /version 2; this program reads version 1/],
    ["with unknown bounds", { bounds: "huge" }, /bounds "huge"; known are small, default, deep/],
    ["with the bounds of an object's own", { bounds: "constructor" }, /known are/],
    ["without a schedule", { schedule: undefined }, /lacks a part/],
    ["with a schedule of numbers", { schedule: [1] }, /lacks a part/],
    ["without a machine", { machine: null }, /lacks a part/],
    ["without an expectation", { expected: undefined }, /lacks a part/],
  ])("%s is refused with its name", (_name, change, complaint) => {
    expect(parse(change)).toThrow(UsageError);
    expect(parse(change)).toThrow(complaint);
    expect(parse(change)).toThrow(/^bad\.json /);
  });

  test.each(["", "{", "null", "[]", "42", '"text"'])("%j is refused", (text) => {
    expect(() => parseCounterexample(text, "bad.json")).toThrow(UsageError);
  });

  test("of another machine is refused", () => {
    const other = { ...counterexample(), machine: { name: "operation" as const, digest: "0123456789abcdef" } };

    expect(() => assertSameMachine(counterexample(), graph, "good.json")).not.toThrow();
    expect(() => assertSameMachine(other, graph, "bad.json")).toThrow(/bad\.json was found on another machine/);
  });

  test("has a digest that tells graphs apart, and the same for the same graph", () => {
    const [first, ...rest] = graph.edges as [GraphEdge, ...GraphEdge[]];
    const changed = [{ ...first, effects: [{ kind: "request" as const }] }, ...rest];

    expect(digestOf(graph)).toBe(digestOf(structuredClone(graph)));
    expect(digestOf({ ...graph, edges: changed })).not.toBe(digestOf(graph));
  });
});

describe("coverage", () => {
  test("a seeded order is a permutation, the same for the same seed", () => {
    const items = Array.from({ length: 100 }, (_, at) => at);
    const before = [...items];

    expect(seededOrder(items, 1)).toEqual(seededOrder(items, 1));
    expect(seededOrder(items, 1)).not.toEqual(seededOrder(items, 2));
    expect(seededOrder(items, 1)).not.toEqual(items);
    expect([...seededOrder(items, 7)].sort((a, b) => a - b)).toEqual(before);
    expect(items).toEqual(before);
    expect(seededOrder([], 1)).toEqual([]);
  });

  test("paths of the criterion states reach every state", () => {
    const reached = new Set(coverageTours(graph, "states").schedules.flatMap(({ edges }) => edges.map(({ to }) => to)));

    expect(new Set([0, ...reached]).size).toBe(graph.nodes.length);
  });

  test("counts a transition once, whichever allowed case of it was taken", async () => {
    const path = [...accepted, "activate", "land", "reply", "stream.start", "listener.release", "stream.update"];
    const tally = await driveBatch(reference, graph, [{ edges: edgesOf(graph, [...path, "close (head)"]) }]);

    const { transitions, states } = coverageOf(graph, tally, false);

    // Close was planned in its other case and driven in the one that the reference takes: it counts.
    expect(transitions.covered).toBe(path.length + 1);
    expect(states.covered).toBe(path.length + 2);
    expect(transitions.total).toBe(new Set(graph.edges.map(({ from, action }) => `${from} ${action}`)).size);
  });

  test("calls not offered what a whole run could not reach, and in a part of one only what it tried", async () => {
    const [accept, , , activate] = edgesOf(graph, [...accepted, "activate"]) as [GraphEdge, ...GraphEdge[]];
    const tally = newTally(graph.edges.length);
    tally.covered[accept.index] = 1;
    tally.notOffered[activate?.index ?? 0] = 1;

    const [part, whole] = [coverageOf(graph, tally, false), coverageOf(graph, tally, true)];

    expect(part.transitions).toMatchObject({ covered: 1, notOffered: 1 });
    expect(part.states).toMatchObject({ covered: 2, notOffered: 0 });
    expect(whole.transitions.notOffered).toBe(whole.transitions.total - 1);
    expect(whole.states.notOffered).toBe(graph.nodes.length - 2);
  });

  test("detours lead around what diverged to what is still uncovered", () => {
    const tally = newTally(graph.edges.length);
    const blocked = edgesOf(graph, [...accepted, "cancel"]).at(-1) as GraphEdge;
    tally.diverged[blocked.index] = 1;

    const detours = uncoveredTours(graph, tally).schedules.flatMap(({ edges }) => edges);

    expect(detours).not.toContain(blocked);
    expect(detours.length).toBeGreaterThan(0);
    tally.covered.fill(1);
    expect(uncoveredTours(graph, tally).schedules).toEqual([]);
  });
});
