/** A second exploration that shares nothing with `@xstate/graph`: a plain loop over `can` and `transition`. */
import { type AnyActorScope, createActor } from "xstate";
import {
  type Bounds,
  isExplored,
  type OperationSnapshot,
  operationEvents,
  operationMachine,
} from "../../machines/index.ts";

export interface Counts {
  readonly states: number;
  readonly transitions: number;
}

export function exploreIndependently(bounds: Bounds): Counts {
  const scope = inertScope(bounds);
  const seen = new Set<string>();
  const frontier: OperationSnapshot[] = [];
  const meet = (state: OperationSnapshot): void => {
    // A key of its own making, so that a fault in the other exploration's key shows as a difference.
    const { bounds: _, ...context } = state.context;
    const key = `${JSON.stringify(context)} ${JSON.stringify(state.value)}`;
    if (seen.has(key)) return;
    seen.add(key);
    frontier.push(state);
  };
  meet(operationMachine.getInitialSnapshot(scope, { bounds }));
  let transitions = 0;
  for (let state = frontier.pop(); state !== undefined; state = frontier.pop()) {
    for (const event of operationEvents) {
      if (!isExplored(state.context, event) || !state.can(event)) continue;
      transitions++;
      meet(operationMachine.transition(state, event, scope));
    }
  }
  return { states: seen.size, transitions };
}

/** What a machine steps in when nothing is to come of its effects. Made once: xstate's own makes an actor for each step. */
function inertScope(bounds: Bounds): AnyActorScope {
  const self = createActor(operationMachine, { input: { bounds } });
  const nothing = (): void => {};
  const { id, sessionId, system } = self;
  return {
    self,
    id,
    sessionId,
    system,
    logger: nothing,
    defer: nothing,
    emit: nothing,
    stopChild: nothing,
    actionExecutor: nothing,
  };
}
