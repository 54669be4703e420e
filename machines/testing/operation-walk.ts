/** Walks the operation machine by hand: events as words, one transition each, and what each made visible. */
import { initialTransition, transition } from "xstate";
import { operationEvents } from "../alphabet.ts";
import { boundsByName, boundsFor } from "../operation/bounds.ts";
import { operationMachine } from "../operation/machine.ts";
import { type OperationSnapshot, pathOf, stateName } from "../operation/projection.ts";
import type { Bounds } from "../operation/rules/context.ts";
import type { CommitName, Effect, OfType, OperationEvent } from "../vocabulary.ts";

/** A walk so far. */
export interface Walk {
  readonly state: OperationSnapshot;
  /** Path of the state, without the parent of a living process. */
  readonly place: string;
  readonly line: readonly CommitName[];
  /** What the last transition showed. */
  readonly shown: readonly Effect[];
  /** What all transitions showed, in order. */
  readonly allShown: readonly Effect[];
  /** Follow further events; an event that is not enabled throws. */
  and(...words: string[]): Walk;
}

/** The state in which every walk begins. */
export const initialState = (bounds: Bounds = boundsByName.small): OperationSnapshot =>
  initialTransition(operationMachine, { bounds })[0];

/** `stream.end stop`, `stream.defect second_start`, `close`, `close head`: the words of reports. */
function eventOf(word: string): OperationEvent {
  const [type, detail, which] = word.split(" ");
  const found = operationEvents.find((event) => {
    if (event.type !== type) return false;
    if (event.type === "stream.end") return event.end === detail;
    if (event.type === "tool.return") return event.tool === detail;
    if (event.type === "stream.defect") return isDefect(event, detail, which);
    return event.type !== "close" || event.kept === (detail ?? "overlapping");
  });
  if (found === undefined) throw new Error(`No event is called ${word}`);
  return found;
}

/** A defect costs its response, unless its word ends with `(harness)`. */
function isDefect(event: OfType<"stream.defect">, detail?: string, which?: string): boolean {
  if (event.defect !== detail) return false;
  return which === "(harness)" ? event.costs === "harness" && event.kept === "overlapping" : event.costs === "response";
}

/** Whether an event is enabled where the walk stands. */
export const can = ({ state }: Walk, word: string): boolean => state.can(eventOf(word));

/** A walk from the initial state. */
export const walk = (...words: string[]): Walk => walkFrom(initialState(), [], [], words);

/** The same for a harness that faults at a protocol defect (B3). */
export const walkFaulting = (...words: string[]): Walk =>
  walkFrom(initialState(boundsFor("small", "harness")), [], [], words);

function walkFrom(
  from: OperationSnapshot,
  shownLast: readonly Effect[],
  shownBefore: readonly Effect[],
  words: readonly string[],
): Walk {
  let state = from;
  let shown = shownLast;
  const allShown = [...shownBefore];
  for (const word of words) {
    const event = eventOf(word);
    if (!state.can(event)) throw new Error(`${word} is not enabled in ${pathOf(state.value)}`);
    const [next, actions] = transition(operationMachine, state, event);
    shown = actions.flatMap(({ params }) => params as unknown as readonly Effect[]);
    allShown.push(...shown);
    state = next;
  }
  return {
    state,
    place: stateName(pathOf(state.value)),
    line: state.context.line.map(({ commit }) => commit),
    shown,
    allShown,
    and: (...more) => walkFrom(state, shown, allShown, more),
  };
}

/** Let storage do its work until the line is empty or `place` is reached. */
export function drain(from: Walk): Walk {
  let here = from;
  while (here.line.length > 0) here = can(here, "land") ? here.and("land") : here.and("reply");
  return here;
}

/** Where walks begin. */
export const road = {
  ready: ["accept", "land", "reply"],
  requesting: ["accept", "land", "reply", "activate"],
  streaming: ["accept", "land", "reply", "activate", "land", "reply"],
  /** One frame is on the line, its event has been delivered. */
  started: ["accept", "land", "reply", "activate", "land", "reply", "stream.start", "listener.release"],
  /** One frame is durable, nothing is on the line. */
  listed: ["accept", "land", "reply", "activate", "land", "reply", "stream.start", "listener.release", "land", "reply"],
} as const;
