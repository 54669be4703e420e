/** Compares what a step made visible with what its transition predicts. Contains no expectation about one harness. */
import type { CommitName, Effect, Expected } from "../../machines/index.ts";
import type { GraphEdge, GraphNode } from "../explore/graph.ts";
import type { DurableObservation } from "../world/durable.ts";
import type { StepRecord, World } from "../world/world.ts";
import { type Mismatch, mismatch } from "./mismatch.ts";

/** Everything an outside party can see after a step. */
export interface Observation {
  readonly record: StepRecord;
  readonly durable: DurableObservation;
  readonly atStore: readonly CommitName[];
  readonly landed: number;
  readonly parked: Expected["parked"];
  /** Calls of a kind that are still open, for N13. */
  readonly openActivations: number;
}

export function observe(world: World): Observation {
  const named = (world.gate?.parked ?? []).filter((commit) => commit.name !== "internal");
  return {
    record: world.takeRecord(),
    durable: world.observeDurable(),
    atStore: named.map((commit) => commit.name as CommitName),
    landed: named.filter((commit) => commit.landed).length,
    parked: parkedAt(world),
    openActivations: world.pending.get("activate") ?? 0,
  };
}

function parkedAt(world: World): Expected["parked"] {
  const { gates } = world;
  if (gates === undefined) return null;
  if (gates.hook !== undefined) return "hook";
  if (gates.tools !== undefined) return "tools";
  if (gates.listener !== undefined) return "listener";
  return gates.stream?.pulled === true ? "stream" : null;
}

/** The first field in which the step and the transition part, in the order in which a reader wants to know. */
export function compareStep(
  edge: GraphEdge,
  source: GraphNode,
  target: GraphNode,
  seen: Observation,
): Mismatch | undefined {
  return (
    compareAnomalies(seen) ??
    compareDurable(target.expected, seen) ??
    compareStore(target.expected, seen) ??
    compareEvents(edge, seen) ??
    compareCounts(edge, seen) ??
    compareCalls(edge, source, seen) ??
    compareParked(target, seen)
  );
}

function compareAnomalies({ record }: Observation): Mismatch | undefined {
  const [first] = record.anomalies;
  return first === undefined ? undefined : mismatch(first.match(/^[A-Z]\d+/)?.[0] ?? "N13", "anomaly", "none", first);
}

const durableFields = [
  ["at", "N1"],
  ["control", "F1"],
  ["attempt", "E7"],
  ["listed", "C4"],
  ["outcome", "O2"],
] as const;

function compareDurable(expected: Expected, { durable }: Observation): Mismatch | undefined {
  for (const [field, requirement] of durableFields) {
    if (durable[field] !== expected.durable[field]) {
      return mismatch(requirement, `durable.${field}`, expected.durable[field], durable[field]);
    }
  }
  return undefined;
}

/** What waits at the store is a prefix of the line, and something does when the line is not empty (C1, C7). */
function compareStore(expected: Expected, { atStore, landed }: Observation): Mismatch | undefined {
  const prefix = expected.line.slice(0, atStore.length);
  const fits = prefix.every((commit, at) => commit === atStore[at]) && atStore.length <= expected.line.length;
  if (!fits || (atStore.length === 0 && expected.line.length > 0)) {
    return mismatch("C7", "commits at the store", describeLine(expected.line), describeLine(atStore));
  }
  if (landed !== expected.landed) return mismatch("C7", "landed and not replied", expected.landed, landed);
  return undefined;
}

const describeLine = (line: readonly string[]): string => (line.length === 0 ? "none" : line.join(", "));

/** Their order is the business of an invariant: SPEC.md does not tie them to one step (I4). */
const isRecoveryMessage = ({ name, recovery }: StepRecord["events"][number]): boolean =>
  recovery && (name === "message_start" || name === "message_end");

type EventEffect = Extract<Effect, { kind: "event" }>;

function compareEvents(edge: GraphEdge, { record }: Observation): Mismatch | undefined {
  const expected = edge.effects.filter((effect): effect is EventEffect => effect.kind === "event");
  const events = record.events.filter((event) => !isRecoveryMessage(event));
  let at = 0;
  for (const effect of expected) {
    const seen = events[at];
    const same = seen?.name === effect.name && (seen.name === "usage" || seen.recovery === (effect.recovery ?? false));
    if (same) at++;
    else if (!effect.optional) return eventMismatch(expected, record);
  }
  return at === events.length ? undefined : eventMismatch(expected, record);
}

function eventMismatch(expected: readonly EventEffect[], { events }: StepRecord): Mismatch {
  const name = (event: { name: string; recovery?: boolean; optional?: true }) =>
    `${event.name}${event.recovery ? " (recovery)" : ""}${event.optional ? "?" : ""}`;
  return mismatch(
    expected.some((effect) => effect.recovery) ? "I4" : "J1",
    "events",
    expected.map(name).join(", ") || "none",
    events.map(name).join(", ") || "none",
  );
}

const counted = [
  ["request", "C7", (record: StepRecord) => record.requests.length],
  ["hook", "C5", (record: StepRecord) => record.hooks],
  ["tools", "E6", (record: StepRecord) => record.tools],
] as const;

function compareCounts(edge: GraphEdge, { record }: Observation): Mismatch | undefined {
  for (const [kind, requirement, count] of counted) {
    const wanted = edge.effects.filter((effect) => effect.kind === kind);
    if (count(record) === 0 && wanted.every((effect) => "optional" in effect)) continue;
    const expected = wanted.length;
    if (count(record) !== expected) return mismatch(requirement, `${kind} calls`, expected, count(record));
  }
  const signal = edge.effects.find((effect) => effect.kind === "signal");
  if (record.signals > 0 && signal === undefined) return mismatch("F1", "signal", "not pulled", "pulled");
  if (record.signals === 0 && signal?.kind === "signal" && signal.optional !== true) {
    return mismatch("F1", "signal", "pulled", "not pulled");
  }
  return undefined;
}

/** Promises settle when the transition says so, with what it says; a second activation may be refused at once (O3). */
function compareCalls(
  edge: GraphEdge,
  source: GraphNode,
  { record, openActivations }: Observation,
): Mismatch | undefined {
  const expected = edge.effects.filter((effect) => effect.kind === "call");
  const joining = edge.event.type === "activate" && source.expected.drive;
  const allows = ({ call, outcome }: StepRecord["calls"][number]): boolean =>
    expected.some((effect) => effect.call === call && (effect.outcome === outcome || effect.or?.includes(outcome))) ||
    (joining && call === "activate" && outcome === "refused");
  const missing = expected.some((effect) => !effect.optional && !record.calls.some(({ call }) => call === effect.call));
  if (missing || !record.calls.every(allows)) {
    const words = expected.map(
      ({ call, outcome, or }) => `${call}: ${outcome}${or === undefined ? "" : ` or ${or.join(" or ")}`}`,
    );
    const seen = new Set(record.calls.map(({ call, outcome }) => `${call}: ${outcome}`));
    return mismatch("O2", "promises settled", words.join(", ") || "none", [...seen].join(", ") || "none");
  }
  if (expected.some(({ call }) => call === "activate") && openActivations > 0) {
    return mismatch("N13", "activations still pending", 0, openActivations);
  }
  return undefined;
}

/** Places where the drive has nothing left to wait for but may still be doing so. */
const unwatched = new Set(["up.cancelled.committing", "up.contested"]);

/** Where the drive waits. After it has stopped, what it left behind is its own affair. */
function compareParked(target: GraphNode, seen: Observation): Mismatch | undefined {
  const { expected } = target;
  if (expected.process !== "up" || !expected.drive || unwatched.has(target.path)) return undefined;
  if (seen.parked === expected.parked) return undefined;
  return mismatch("N13", "the drive waits for", expected.parked ?? "storage", seen.parked ?? "storage");
}
