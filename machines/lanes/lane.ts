/** One lane of several: the operation machine, with its transitions memoised. */
import { initialTransition, transition } from "xstate";
import { operationMachine } from "../operation/machine.ts";
import { type OperationSnapshot, pathOf } from "../operation/projection.ts";
import type { Bounds } from "../operation/rules/context.ts";
import type { Effect, OperationEvent } from "../vocabulary.ts";

/** A state of a lane. Two equal states of one lane are the same object. */
export interface LaneState {
  readonly key: string;
  readonly path: string;
  readonly snapshot: OperationSnapshot;
  /** What `event` leads to and shows; `undefined` where it is not enabled. */
  step(event: OperationEvent): LaneStep | undefined;
}

/** What one event leads to on a lane, and what it shows. */
interface LaneStep {
  readonly to: LaneState;
  readonly effects: readonly Effect[];
}

/** The listeners of a session with two lanes return at once: one that does not would hold up the other lane's events too. */
const listenerReturns: OperationEvent = { type: "listener.release" };

/** @returns the initial state of a lane with an idle session line. */
export function newLane(bounds: Bounds): LaneState {
  const known = new Map<string, LaneState>();
  const stateOf = (snapshot: OperationSnapshot): LaneState => {
    const { bounds: _, ...context } = snapshot.context;
    const key = JSON.stringify([snapshot.value, context]);
    const state = known.get(key) ?? {
      key,
      path: pathOf(snapshot.value),
      snapshot,
      step: remembered(snapshot, stateOf),
    };
    known.set(key, state);
    return state;
  };
  return stateOf(initialTransition(operationMachine, { bounds })[0]);
}

function remembered(from: OperationSnapshot, stateOf: (snapshot: OperationSnapshot) => LaneState): LaneState["step"] {
  const steps = new Map<OperationEvent, LaneStep | undefined>();
  return (event) => {
    if (!steps.has(event)) steps.set(event, from.can(event) ? stepOf(from, event, stateOf) : undefined);
    return steps.get(event);
  };
}

function stepOf(
  from: OperationSnapshot,
  event: OperationEvent,
  stateOf: (snapshot: OperationSnapshot) => LaneState,
): LaneStep {
  const [next, actions] = transition(operationMachine, from, event);
  const effects = actions.flatMap(({ params }) => params as unknown as readonly Effect[]);
  if (next.context.parked !== "listener") return { to: stateOf(next), effects };
  const returned = stepOf(next, listenerReturns, stateOf);
  return { to: returned.to, effects: [...effects, ...returned.effects] };
}
