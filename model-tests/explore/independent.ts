/** A second exploration that shares nothing with `@xstate/graph`: a plain loop over `can` and `transition`. */
import { initialTransition, transition } from "xstate";
import { type Bounds, type OperationSnapshot, operationEvents, operationMachine } from "../../machines/index.ts";

export interface Counts {
  readonly states: number;
  readonly transitions: number;
}

export function exploreIndependently(bounds: Bounds): Counts {
  const [initial] = initialTransition(operationMachine, { bounds });
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
  meet(initial);
  let transitions = 0;
  for (let state = frontier.pop(); state !== undefined; state = frontier.pop()) {
    for (const event of operationEvents) {
      if (!state.can(event)) continue;
      transitions++;
      meet(transition(operationMachine, state, event)[0]);
    }
  }
  return { states: seen.size, transitions };
}
