/** The comparison of one step finds each kind of mismatch, and permits what the requirements permit. */
import { beforeAll, describe, expect, test } from "vitest";
import { boundsByName, type Effect } from "../../machines/index.ts";
import { explore, type Graph, type GraphEdge, type GraphNode } from "../explore/graph.ts";
import { exploringMs } from "../testing/graphs.ts";
import { edgesOf } from "../verify/labels.ts";
import { anomaly } from "../world/anomalies.ts";
import { compareStep, type Observation } from "./compare.ts";
import type { Mismatch } from "./mismatch.ts";

let graph: Graph;
beforeAll(() => {
  graph = explore(boundsByName.small);
}, exploringMs);

const nodeAt = (index: number): GraphNode => graph.nodes[index] as GraphNode;
const isCertain = (effect: Effect): boolean => !("optional" in effect);

/** What an implementation shows that does exactly what the transition says, and nothing optional. */
function fitting(edge: GraphEdge): Observation {
  const { expected } = nodeAt(edge.to);
  const certain = edge.effects.filter(isCertain);
  const count = (kind: Effect["kind"]): number => certain.filter((effect) => effect.kind === kind).length;
  return {
    durable: expected.durable,
    atStore: expected.line,
    landed: expected.landed,
    parked: expected.parked === null ? [] : [expected.parked],
    running: expected.running,
    heldSignals: [],
    openActivations: expected.drive ? 1 : 0,
    record: {
      events: certain.flatMap((effect) =>
        effect.kind === "event" ? [{ name: effect.name, recovery: effect.recovery === true }] : [],
      ),
      calls: certain.flatMap((effect) =>
        effect.kind === "call" ? [{ call: effect.call, outcome: effect.outcome }] : [],
      ),
      requests: Array.from({ length: count("request") }, () => ({ response: "r1", contextStops: [], results: [] })),
      polls: Array.from({ length: count("poll") }, () => ({ response: "r1", handle: "handle-1" })),
      remoteCancels: Array.from({ length: count("remote_cancel") }, () => "handle-1"),
      hooks: count("hook"),
      tools: certain.flatMap((effect) => (effect.kind === "tools" ? [startOf(effect.tool)] : [])),
      reads: [],
      signals: count("signal"),
      landings: [],
      snapshots: [],
      snapshotsRefused: 0,
      provider: [],
      wrong: [],
      anomalies: [],
    },
  };
}

const startOf = (tool: string) => ({ call: `call-1-${tool}`, tool, repeatable: false });

const compare = (edge: GraphEdge, seen: Observation): Mismatch | undefined =>
  compareStep(edge, nodeAt(edge.from), nodeAt(edge.to), seen);

/** The last edge of a schedule. */
const lastOf = (...labels: string[]): GraphEdge => edgesOf(graph, labels).at(-1) as GraphEdge;
const streaming = ["accept", "land", "reply", "activate", "land", "reply"];
const started = [...streaming, "stream.start"];

/** The mismatch when the step shows something else than its transition says. */
function mismatchOf(edge: GraphEdge, change: Partial<Observation>, record: Partial<Observation["record"]> = {}) {
  const seen = fitting(edge);
  return compare(edge, { ...seen, ...change, record: { ...seen.record, ...record } });
}

describe("an implementation that does what the transition says", () => {
  test("matches on every transition of the small graph", () => {
    const parting = graph.edges.filter((edge) => compare(edge, fitting(edge)) !== undefined);

    expect(parting.map(({ from, action }) => `${nodeAt(from).path} ${action}`)).toEqual([]);
  });

  test("may have handed over less than the whole line, but something of it", () => {
    const edge = lastOf(...started, "listener.release", "stream.update");
    expect(fitting(edge).atStore).toEqual(["frame", "frame"]);

    expect(mismatchOf(edge, { atStore: ["frame"] })).toBeUndefined();
    expect(mismatchOf(edge, { atStore: [] })).toMatchObject({ requirement: "C7", actual: "none" });
  });

  test("may show what is optional", () => {
    const edge = graph.edges.find(({ effects }) =>
      effects.some((effect) => effect.kind === "event" && effect.optional === true),
    ) as GraphEdge;
    const all = edge.effects.flatMap((effect) =>
      effect.kind === "event" ? [{ name: effect.name, recovery: effect.recovery === true }] : [],
    );

    expect(all.length).toBeGreaterThan(fitting(edge).record.events.length);
    expect(mismatchOf(edge, {}, { events: all })).toBeUndefined();
  });

  test("[O3] may refuse an activation that joins a drive", () => {
    const edge = lastOf(...streaming, "activate");

    expect(mismatchOf(edge, {}, { calls: [{ call: "activate", outcome: "refused" }] })).toBeUndefined();
    expect(mismatchOf(edge, {}, { calls: [{ call: "activate", outcome: "completed" }] })).toMatchObject({
      field: "promises settled",
    });
  });

  test("[I4] may announce the synthetic message where it likes", () => {
    const edge = lastOf("accept", "land", "reply", "activate", "land", "crash", "reopen", "activate");

    expect(mismatchOf(edge, {}, { events: [{ name: "message_start", recovery: true }] })).toBeUndefined();
    expect(mismatchOf(edge, {}, { events: [{ name: "entry_added", recovery: true }] })).toMatchObject({
      field: "events",
    });
  });
});

describe("a mismatch is found in", () => {
  test.each([
    ["at", "ready", "D5"],
    ["control", "cancelled", "F1"],
    ["attempt", 7, "E7"],
    ["listed", 3, "C4"],
    ["outcome", "completed", "O2"],
  ] as const)("the durable %s", (field, value, requirement) => {
    const edge = lastOf(...started);
    const durable = { ...fitting(edge).durable, [field]: value };

    expect(mismatchOf(edge, { durable })).toMatchObject({
      requirement,
      field: `durable.${field}`,
      actual: String(value),
    });
  });

  test.each([
    ["the store: another commit", { atStore: ["settle"] }, "commits at the store"],
    ["the store: one more than the line", { atStore: ["frame", "frame"] }, "commits at the store"],
    ["the store: landed too early", { landed: 1 }, "landed and not replied"],
    ["where the drive waits", { parked: ["hook"] }, "the drive waits for"],
    [
      "where the drive waits: it goes on while a listener is held",
      { parked: ["listener", "stream"] },
      "the drive waits for",
    ],
    ["where the drive waits: for storage", { parked: [] }, "the drive waits for"],
    ["an activation that resolved before its drive ended", { openActivations: 0 }, "activation"],
  ] as const)("%s", (_name, change, field) => {
    expect(mismatchOf(lastOf(...started), change)).toMatchObject({ field });
  });

  test.each([
    ["a missing event", { events: [] }, "events"],
    ["an event too many", { events: ["message_start", "message_update"] }, "events"],
    ["another event", { events: ["message_update"] }, "events"],
  ] as const)("%s", (_name, { events }, field) => {
    const seen = events.map((name) => ({ name, recovery: false }));

    expect(mismatchOf(lastOf(...started), {}, { events: seen })).toMatchObject({ requirement: "J1", field });
  });

  test("an event with the tag of a recovery that is none", () => {
    const edge = lastOf(...started);

    expect(mismatchOf(edge, {}, { events: [{ name: "message_update", recovery: true }] })).toMatchObject({
      field: "events",
    });
  });

  test.each([
    ["a request too many", { requests: [{ response: "r2", contextStops: [], results: [] }] }, "request calls", "C7"],
    ["a hook too early", { hooks: 1 }, "hook calls", "C5"],
    ["a tool run that nobody planned", { tools: [startOf("send")] }, "tool calls", "E6"],
    ["a signal out of nowhere", { signals: 1 }, "signal", "F1"],
    ["a promise too early", { calls: [{ call: "activate", outcome: "completed" }] }, "promises settled", "O2"],
    ["an anomaly", { anomalies: [anomaly("the store accepted a second row with an id")] }, "anomaly", "A4"],
  ] as const)("%s", (_name, record, field, requirement) => {
    expect(mismatchOf(lastOf(...started), {}, structuredClone(record) as Partial<Observation["record"]>)).toMatchObject(
      {
        requirement,
        field,
      },
    );
  });

  test("a request that is not made", () => {
    expect(mismatchOf(lastOf(...streaming), {}, { requests: [] })).toMatchObject({
      field: "request calls",
      actual: "0",
    });
  });

  test("a signal that is not pulled", () => {
    const edge = lastOf(...streaming, "cancel", "land", "reply");

    expect(mismatchOf(edge, {}, { signals: 0 })).toMatchObject({ requirement: "F1", actual: "not pulled" });
  });

  test("a promise that does not settle, or settles with another outcome", () => {
    const edge = lastOf("accept", "land", "reply");

    expect(mismatchOf(edge, {}, { calls: [] })).toMatchObject({ expected: "accept: ok", actual: "none" });
    expect(mismatchOf(edge, {}, { calls: [{ call: "accept", outcome: "refused" }] })).toMatchObject({
      expected: "accept: ok",
      actual: "accept: refused",
    });
  });

  test("[N13] an activation that stays open when the operation ends", () => {
    const edge = lastOf(...started, "listener.release", "fail");

    expect(mismatchOf(edge, { openActivations: 1 })).toMatchObject({ requirement: "N13" });
  });

  test("[O3] an activation that is pending where nothing is driven", () => {
    expect(mismatchOf(lastOf("accept", "land", "reply"), { openActivations: 1 })).toMatchObject({ requirement: "O3" });
  });

  test("[I1] a snapshot that a living process refuses; one that has stopped may", () => {
    const refused = { snapshotsRefused: 1 };

    expect(mismatchOf(lastOf("snapshot"), {}, refused)).toMatchObject({ requirement: "I1", actual: "1" });
    expect(mismatchOf(lastOf(...started, "close"), {}, refused)).toBeUndefined();
  });

  test("the first place that matters most, when several part", () => {
    const edge = lastOf(...started);
    const durable = { ...fitting(edge).durable, at: "ready" as const };

    expect(mismatchOf(edge, { durable, landed: 1 }, { events: [], hooks: 1 })?.field).toBe("durable.at");
  });
});
