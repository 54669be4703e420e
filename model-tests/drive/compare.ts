/** Compares what a step made visible with what its transition predicts. Contains no expectation about one harness. */
import { isDeepStrictEqual } from "node:util";
import {
  type AskedKind,
  type Call,
  type CommitName,
  type Effect,
  type EventType,
  type Expected,
  toolNames,
} from "../../machines/index.ts";
import type { GraphEdge, GraphNode } from "../explore/graph.ts";
import { showsDrive, showsParked } from "../explore/shown.ts";
import type { DurableObservation } from "../world/durable.ts";
import type { StepRecord } from "../world/step-record.ts";
import type { World } from "../world/world.ts";
import { compareReads } from "./compare-reads.ts";
import type { RequirementOf } from "./comparisons.ts";
import { broken, type Mismatch, mismatch } from "./mismatch.ts";

type Place = NonNullable<Expected["parked"]>;

/** Everything an outside party can see after a step. */
export interface Observation {
  readonly record: StepRecord;
  readonly durable: DurableObservation;
  readonly atStore: readonly CommitName[];
  readonly landed: number;
  /** Everything that the drive waits for at a gate, or may go on from. */
  readonly parked: readonly Place[];
  /** The tools whose calls run. */
  readonly running: readonly string[];
  /** Of the hook and the tools that run: whether the signals that they were given are pulled (F5). */
  readonly heldSignals: readonly boolean[];
  /** Activations whose promises are still pending (O3, N13). */
  readonly openActivations: number;
}

export function observe(world: World): Observation {
  const atStore: CommitName[] = [];
  let landed = 0;
  for (const commit of world.gate?.parked ?? []) {
    if (commit.name === "internal") continue;
    atStore.push(commit.name);
    if (commit.landed) landed++;
  }
  return {
    record: world.takeRecord(),
    durable: world.observeDurable(),
    atStore,
    landed,
    parked: parkedAt(world),
    running: [...(world.gates?.tools.keys() ?? [])],
    heldSignals: world.heldSignals,
    openActivations: world.promises.count("activate"),
  };
}

function parkedAt({ gates }: World): Place[] {
  const places: Place[] = [];
  if (gates?.hook !== undefined) places.push("hook");
  if (gates !== undefined && gates.tools.size > 0) places.push("tools");
  if (gates?.listener !== undefined) places.push("listener");
  if (gates?.stream?.pulled === true) places.push("stream");
  return places;
}

/** The first field in which the step and the transition part, in the order in which a reader wants to know. */
export function compareStep(
  edge: GraphEdge,
  source: GraphNode,
  target: GraphNode,
  seen: Observation,
): Mismatch | undefined {
  const prediction = predictionOf(edge);
  return (
    compareAnomalies(seen) ??
    compareDurable(edge, target.expected, seen) ??
    compareStore(target.expected, seen) ??
    compareEvents(prediction, seen) ??
    compareCounts(prediction, target.expected, seen) ??
    compareCalls(prediction, edge, source, target, seen) ??
    compareSnapshots(target.expected, seen) ??
    compareDrive(target, seen) ??
    compareParked(target, seen) ??
    compareSignals(target.expected, seen) ??
    compareReads(edge, target, seen.record)
  );
}

/** Every value that was stored, told or asked for says what it must, whole. */
export const compareValues = ({ wrong }: StepRecord): readonly Mismatch[] =>
  wrong.map(({ requirement, place, path, expected, actual }) =>
    broken(requirement, `${place}${path.replace(/\[\d+\]/g, "[]")}`, expected, actual),
  );

function compareAnomalies({ record }: Observation): Mismatch | undefined {
  const [first] = record.anomalies;
  return first === undefined ? undefined : broken(first.requirement, "anomaly", "none", first.what);
}

function compareDurable(
  { event }: GraphEdge,
  { durable: expected }: Expected,
  { durable }: Observation,
): Mismatch | undefined {
  if (durable.at !== expected.at) {
    return mismatch(event.type === "reopen" ? "N1" : "D5", "durable.at", expected.at, durable.at);
  }
  if (durable.control !== expected.control) {
    return mismatch("F1", "durable.control", expected.control, durable.control);
  }
  if (durable.attempt !== expected.attempt) {
    return mismatch("E7", "durable.attempt", expected.attempt, durable.attempt);
  }
  if (durable.poll !== expected.poll) return mismatch("G3", "durable.poll", expected.poll, durable.poll);
  if (!isDeepStrictEqual(durable.plan, expected.plan)) {
    const requirement = expected.plan === "refuse" ? "D5" : "Q1";
    return mismatch(requirement, "durable.plan", describePlan(expected.plan), describePlan(durable.plan));
  }
  if (durable.listed !== expected.listed) return mismatch("C4", "durable.listed", expected.listed, durable.listed);
  if (durable.outcome !== expected.outcome) {
    return mismatch("O2", "durable.outcome", expected.outcome, durable.outcome);
  }
  return undefined;
}

const describePlan = (plan: Expected["durable"]["plan"]): string =>
  plan === null || plan === "refuse" ? (plan ?? "none") : toolNames.map((tool) => `${tool} ${plan[tool]}`).join(", ");

/** What waits at the store is a prefix of the line, and something does when the line is not empty (C1, C7). */
function compareStore(expected: Expected, { atStore, landed }: Observation): Mismatch | undefined {
  const { line } = expected;
  const fits = atStore.length <= line.length && atStore.every((commit, at) => commit === line[at]);
  if (!fits || (atStore.length === 0 && line.length > 0)) {
    return mismatch("C7", "commits at the store", describeLine(line), describeLine(atStore));
  }
  if (landed !== expected.landed) return mismatch("C7", "landed and not replied", expected.landed, landed);
  return undefined;
}

const describeLine = (line: readonly string[]): string => (line.length === 0 ? "none" : line.join(", "));

/** Their order is the business of an invariant: the requirements do not tie them to one step (I4). */
const isRecoveryMessage = ({ name, recovery }: StepRecord["events"][number]): boolean =>
  recovery && (name === "message_start" || name === "message_end");

type EventEffect = Extract<Effect, { kind: "event" }>;
type CallEffect = Extract<Effect, { kind: "call" }>;

/** How often something is asked of the surroundings; where it may be left out, not at all is as good. */
interface Count {
  readonly times: number;
  readonly optional: boolean;
}

/** The effects of a transition by kind: sorted once, compared at every step that drives it. */
interface Prediction {
  readonly events: readonly EventEffect[];
  readonly calls: readonly CallEffect[];
  readonly counts: Readonly<Record<Exclude<AskedKind, "tools">, Count>>;
  /** The tools of which a call is started. */
  readonly tools: readonly string[];
  /** `undefined` where nothing pulls the signal. */
  readonly signal: "pulled" | "may be pulled" | undefined;
}

const predictions = new WeakMap<GraphEdge, Prediction>();

function predictionOf(edge: GraphEdge): Prediction {
  const known = predictions.get(edge);
  if (known !== undefined) return known;
  const { effects } = edge;
  const signal = effects.find((effect) => effect.kind === "signal");
  const count = (kind: AskedKind): Count => {
    const wanted = effects.filter((effect) => effect.kind === kind);
    return { times: wanted.length, optional: wanted.every((effect) => "optional" in effect) };
  };
  const prediction: Prediction = {
    events: effects.filter((effect) => effect.kind === "event"),
    calls: effects.filter((effect) => effect.kind === "call"),
    counts: {
      request: count("request"),
      poll: count("poll"),
      remote_cancel: count("remote_cancel"),
      hook: count("hook"),
    },
    tools: effects.flatMap((effect) => (effect.kind === "tools" ? [effect.tool] : [])),
    signal: signal === undefined ? undefined : signal.optional === true ? "may be pulled" : "pulled",
  };
  predictions.set(edge, prediction);
  return prediction;
}

function compareEvents({ events: expected }: Prediction, { record }: Observation): Mismatch | undefined {
  const { events } = record;
  let at = 0;
  for (const effect of expected) {
    const found = announces(effect, events[at]) ? at : skipRecoveryMessages(events, at);
    if (announces(effect, events[found])) at = found + 1;
    else if (!effect.optional) return eventMismatch(expected, record);
  }
  return skipRecoveryMessages(events, at) === events.length ? undefined : eventMismatch(expected, record);
}

const announces = (effect: EventEffect, seen: StepRecord["events"][number] | undefined): boolean =>
  seen?.name === effect.name && (seen.name === "usage" || isTaggedAs(effect, seen.recovery));

const isTaggedAs = ({ recovery }: EventEffect, tagged: boolean): boolean =>
  recovery === "may" || (recovery === true) === tagged;

function skipRecoveryMessages(events: StepRecord["events"], from: number): number {
  let at = from;
  for (let event = events[at]; event !== undefined && isRecoveryMessage(event); event = events[at]) at++;
  return at;
}

function eventMismatch(expected: readonly EventEffect[], { events }: StepRecord): Mismatch {
  const name = (event: { name: string; recovery?: boolean | "may"; optional?: true }) =>
    `${event.name}${event.recovery === true ? " (recovery)" : ""}${event.optional ? "?" : ""}`;
  return mismatch(
    expected.some((effect) => effect.recovery === true) ? "I4" : "J1",
    "events",
    expected.map(name).join(", ") || "none",
    events.map(name).join(", ") || "none",
  );
}

/** The requirement that speaks of every promise and signal once the process has stopped. */
const stopped: Readonly<Partial<Record<Expected["process"], "K1" | "K2">>> = { closed: "K1", faulted: "K2" };

function compareCounts(
  { counts, signal, tools: started }: Prediction,
  expected: Expected,
  { record }: Observation,
): Mismatch | undefined {
  const { requests, polls, remoteCancels, hooks, tools, signals } = record;
  if (!isCount(counts.request, requests.length)) {
    return mismatch("C7", "request calls", counts.request.times, requests.length);
  }
  if (!isCount(counts.poll, polls.length)) return mismatch("G2", "polls", counts.poll.times, polls.length);
  if (!isCount(counts.remote_cancel, remoteCancels.length)) {
    return mismatch("G4", "remote cancels", counts.remote_cancel.times, remoteCancels.length);
  }
  if (!isCount(counts.hook, hooks)) return mismatch("C5", "hook calls", counts.hook.times, hooks);
  const names = tools.map(({ tool }) => tool);
  if (!isDeepStrictEqual(names, started)) {
    return mismatch(started.length < names.length ? "E6" : "Q1", "tool calls", listOf(started), listOf(names));
  }
  const requirement = stopped[expected.process] ?? (expected.durable.outcome === "finalized" ? "K3" : "F1");
  if (signals > 0 && signal === undefined) return mismatch(requirement, "signal", "not pulled", "pulled");
  if (signals === 0 && signal === "pulled") return mismatch(requirement, "signal", "pulled", "not pulled");
  return undefined;
}

const listOf = (names: readonly string[]): string => names.join(", ") || "none";

const isCount = ({ times, optional }: Count, seen: number): boolean => seen === times || (optional && seen === 0);

/** The requirement that speaks of a call's promise. */
const promised: Readonly<Record<Call, RequirementOf<"promises settled">>> = {
  accept: "O1",
  activate: "O2",
  cancel: "F1",
  finalize: "K3",
  close: "K1",
};

const activations: ReadonlySet<string> = new Set<EventType>(["activate", "activate.nowait", "permit"]);

/** The requirement that speaks of the promise of one action. */
const ofAction: Partial<Record<EventType, RequirementOf<"promises settled">>> = {
  "cancel.stale": "Q7",
  "activate.nowait": "O4",
};

/** Promises settle when the transition says so, with what it says; a second activation may be refused at once (O3). */
function compareCalls(
  { calls: expected }: Prediction,
  edge: GraphEdge,
  source: GraphNode,
  target: GraphNode,
  { record, openActivations }: Observation,
): Mismatch | undefined {
  if (expected.length === 0 && record.calls.length === 0) return undefined;
  const joining = activations.has(edge.event.type) && source.expected.drive;
  const missing = expected.find(
    (effect) => !effect.optional && !record.calls.some((settled) => predicts(effect, settled)),
  );
  const surplus = record.calls.find(
    (settled) =>
      !expected.some((effect) => predicts(effect, settled)) &&
      !(joining && settled.call === "activate" && settled.outcome === "refused"),
  );
  const wrong = missing ?? surplus;
  if (wrong !== undefined) {
    // What may be told besides is named only where nothing else is expected.
    const due = expected.filter(({ optional }) => !optional);
    const words = (due.length === 0 ? expected : due).map(
      ({ call, outcome, or }) => `${call}: ${outcome}${or === undefined ? "" : ` or ${or.join(" or ")}`}`,
    );
    const seen = new Set(record.calls.map(({ call, outcome }) => `${call}: ${outcome}`));
    // The first cancel was replied before: what settles now is one that ought to have joined it.
    const isSecond =
      surplus?.call === "cancel" && edge.event.type === "reply" && !source.expected.line.includes("cancel");
    const requirement =
      ofAction[edge.event.type] ?? stopped[target.expected.process] ?? (isSecond ? "F5" : promised[wrong.call]);
    return mismatch(requirement, "promises settled", words.join(", ") || "none", [...seen].join(", ") || "none");
  }
  if (
    openActivations > 0 &&
    !target.expected.drive &&
    expected.some(({ call, optional }) => call === "activate" && !optional)
  ) {
    return mismatch("N13", "activations still pending", 0, openActivations);
  }
  return undefined;
}

function predicts(effect: CallEffect, { call, outcome }: StepRecord["calls"][number]): boolean {
  return effect.call === call && (effect.outcome === outcome || effect.or?.includes(outcome) === true);
}

/** A process that is up answers every reader; one that has stopped may refuse (I1, K1, K2). */
function compareSnapshots(expected: Expected, { record }: Observation): Mismatch | undefined {
  if (record.snapshotsRefused === 0 || expected.process !== "up") return undefined;
  return mismatch("I1", "snapshots refused", 0, record.snapshotsRefused);
}

/** While a process is up, an activation is pending exactly as long as a drive is at work (O2, O3). */
function compareDrive(target: GraphNode, { openActivations }: Observation): Mismatch | undefined {
  const { expected } = target;
  if (!showsDrive(target) || expected.drive === openActivations > 0) return undefined;
  const described = (attached: boolean): string => (attached ? "pending" : "none pending");
  return mismatch("O3", "activation", described(expected.drive), described(openActivations > 0));
}

/** Where the drive waits. */
function compareParked(target: GraphNode, seen: Observation): Mismatch | undefined {
  const { expected } = target;
  if (!showsParked(target)) return undefined;
  const wanted = expected.parked === null ? [] : [expected.parked];
  if (isDeepStrictEqual(seen.parked, wanted)) {
    const fits = expected.running.length === 0 || isDeepStrictEqual([...expected.running], seen.running);
    return fits ? undefined : mismatch("Q1", "calls that run", listOf(expected.running), listOf(seen.running));
  }
  return mismatch(
    waitBroken(expected, seen.parked),
    "the drive waits for",
    expected.parked ?? "storage",
    seen.parked.join(" and ") || "storage",
  );
}

/** A hook and a tool hear of the end of their operation as the provider does: at the reply of a cancel, and at a stop (F5). */
function compareSignals(expected: Expected, { heldSignals }: Observation): Mismatch | undefined {
  const { control, outcome } = expected.durable;
  const isWaiting = (commit: CommitName): boolean => expected.process === "up" && expected.line.includes(commit);
  // Whether a cancel came before a finalization that has landed is not kept; until its reply either may be.
  if (outcome === "finalized" && isWaiting("finalize")) return undefined;
  const isCancelled = control === "cancelled" && !isWaiting("cancel");
  const pulled = expected.process !== "up" || outcome !== null || isCancelled;
  if (heldSignals.every((aborted) => aborted === pulled)) return undefined;
  const describe = (aborted: boolean): string => (aborted ? "pulled" : "not pulled");
  return mismatch("F5", "signals of hook and tools", describe(pulled), describe(!pulled));
}

function waitBroken({ parked, line }: Expected, seen: readonly Place[]): RequirementOf<"the drive waits for"> {
  // One delivery at a time: the next event is asked for when every listener has returned.
  if (parked === "listener" && seen.includes("stream")) return "C1";
  // With appends under way the provider loop must go on: storage of any slowness adds nothing between its events.
  return parked === "stream" && line.includes("frame") ? "C2" : "N13";
}
