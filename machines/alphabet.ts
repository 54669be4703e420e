/**
 * The alphabet of the exploration: every event of the operation machine, and all that is said of it. Each list of events in
 * this project is derived from this table. An event that has no row here does not compile.
 */
import {
  defectKinds,
  type EventType,
  keysOf,
  type OfType,
  type OperationEvent,
  streamEnds,
  toolNames,
} from "./vocabulary.ts";

/** What is said of one event. */
interface Facts {
  /**
   * `quiet`: an ordinary step towards the end of an operation. `aside`: it leads nowhere new. `disturbance`: nobody hopes for
   * it. A quiet continuation of a schedule has neither asides nor disturbances.
   */
  readonly role: "quiet" | "aside" | "disturbance";
  /** What becomes of the process that holds the session. A process that faults is still there, and does nothing any more (K2). */
  readonly process: "lives" | "ends" | "faults" | "begins";
  /** Whether a harness may tell its listeners something in answer: a watcher may subscribe right before it (I5). */
  readonly tells: boolean;
  /** Whether the surroundings owe it to a process that is up: without it an operation need not go on (N13). */
  readonly owed: boolean;
  /** Whether a listener of the application that has not returned holds back no announcement from here on (O2). */
  readonly frees: boolean;
  /**
   * In a session with two lanes. `each`: it acts on one lane. `session`: it happens to both at once. `with`: it comes with the
   * event before. `other`: it comes to a lane from the other one, so it is no event of a session with one lane. `never`: two
   * lanes show nothing of it that one lane does not show (docs/decisions/0006-two-lanes.md).
   */
  readonly lanes: "each" | "session" | "with" | "other" | "never";
}

/** An event that carries something has its cases listed: one literal for each. Any other is a case by itself. */
type Letter<T extends EventType> = keyof OfType<T> extends "type"
  ? Facts
  : Facts & { readonly cases: readonly OfType<T>[] };

/** Everything that is said of the events, by type. The order of the rows is the order of the exploration. */
export const alphabet: { readonly [T in EventType]: Letter<T> } = {
  accept: { role: "quiet", process: "lives", tells: false, owed: false, frees: false, lanes: "each" },
  activate: { role: "quiet", process: "lives", tells: false, owed: false, frees: false, lanes: "each" },
  "activate.nowait": { role: "aside", process: "lives", tells: false, owed: false, frees: false, lanes: "never" },
  permit: { role: "quiet", process: "lives", tells: false, owed: false, frees: false, lanes: "never" },
  cancel: { role: "disturbance", process: "lives", tells: false, owed: false, frees: false, lanes: "each" },
  "cancel.stale": { role: "aside", process: "lives", tells: false, owed: false, frees: false, lanes: "never" },
  finalize: { role: "disturbance", process: "lives", tells: false, owed: false, frees: false, lanes: "each" },
  crash: { role: "disturbance", process: "ends", tells: false, owed: false, frees: true, lanes: "session" },
  reopen: { role: "quiet", process: "begins", tells: false, owed: false, frees: true, lanes: "session" },
  snapshot: { role: "aside", process: "lives", tells: false, owed: false, frees: false, lanes: "each" },
  tick: { role: "quiet", process: "lives", tells: false, owed: true, frees: false, lanes: "never" },
  land: { role: "quiet", process: "lives", tells: false, owed: true, frees: false, lanes: "each" },
  reply: { role: "quiet", process: "lives", tells: true, owed: true, frees: false, lanes: "each" },
  fail: { role: "disturbance", process: "faults", tells: false, owed: false, frees: false, lanes: "each" },
  lose_reply: { role: "disturbance", process: "faults", tells: false, owed: false, frees: false, lanes: "each" },
  fault: { role: "disturbance", process: "faults", tells: false, owed: false, frees: false, lanes: "other" },
  "stream.start": { role: "quiet", process: "lives", tells: true, owed: true, frees: false, lanes: "each" },
  "stream.update": { role: "quiet", process: "lives", tells: true, owed: true, frees: false, lanes: "each" },
  "stream.covered": { role: "quiet", process: "lives", tells: true, owed: false, frees: false, lanes: "each" },
  "listener.release": { role: "quiet", process: "lives", tells: true, owed: true, frees: true, lanes: "with" },
  "hook.release": { role: "quiet", process: "lives", tells: true, owed: true, frees: false, lanes: "each" },
  late: { role: "aside", process: "lives", tells: false, owed: false, frees: true, lanes: "each" },
  "frames.cut": { role: "aside", process: "lives", tells: false, owed: false, frees: false, lanes: "never" },
  "frames.remove": { role: "aside", process: "lives", tells: false, owed: false, frees: false, lanes: "never" },
  "frames.damage": { role: "aside", process: "lives", tells: false, owed: false, frees: false, lanes: "never" },
  "frames.lengthen": { role: "aside", process: "lives", tells: false, owed: false, frees: false, lanes: "never" },
  "stream.end": {
    role: "quiet",
    process: "lives",
    tells: true,
    owed: true,
    frees: false,
    lanes: "each",
    cases: streamEnds.map((end) => ({ type: "stream.end", end })),
  },
  "tool.return": {
    role: "quiet",
    process: "lives",
    tells: true,
    owed: true,
    frees: false,
    lanes: "never",
    cases: toolNames.map((tool) => ({ type: "tool.return", tool })),
  },
  close: {
    role: "disturbance",
    process: "ends",
    tells: false,
    owed: false,
    frees: false,
    lanes: "never",
    cases: [
      { type: "close", kept: "overlapping" },
      { type: "close", kept: "head" },
    ],
  },
  "stream.defect": {
    role: "disturbance",
    process: "faults",
    tells: false,
    owed: false,
    frees: false,
    lanes: "each",
    cases: defectKinds.flatMap((defect) => [
      { type: "stream.defect", defect, costs: "response" },
      { type: "stream.defect", defect, costs: "harness", kept: "overlapping" },
      { type: "stream.defect", defect, costs: "harness", kept: "head" },
    ]),
  },
};

/** What becomes of the process at this event: a defect that costs its response alone lets it live (Q6). */
export const processAfter = (event: OperationEvent): Facts["process"] =>
  event.type === "stream.defect" && event.costs === "response" ? "lives" : alphabet[event.type].process;

/** The types of all events, in the order of the table. */
export const eventTypes: readonly EventType[] = keysOf(alphabet);

function casesOf(type: EventType): readonly OperationEvent[] {
  const letter = alphabet[type];
  // The table has no cases only for an event that consists of its type.
  return "cases" in letter ? letter.cases : [{ type } as OperationEvent];
}

/** Every event of a session with one lane, one literal for each case: what an exploration tries in each state. */
export const operationEvents: readonly OperationEvent[] = eventTypes
  .filter((type) => alphabet[type].lanes !== "other")
  .flatMap(casesOf);
