/** Why an event is not enabled in a state. The machine itself is asked: no guard is written down a second time. */
import { defectKinds, type OperationEvent, streamEnds } from "../vocabulary.ts";
import { isExplored } from "./long-streams.ts";
import { operationMachine } from "./machine.ts";
import type { OperationSnapshot } from "./projection.ts";
import type { Bounds } from "./rules/context.ts";

/**
 * `bounds`: the stated limits alone leave it out, a wider exploration has it here. `place`: this place of the machine does not
 * know the event. `guard`: the place knows it, but its condition does not hold.
 */
export type WhyNot = "bounds" | "place" | "guard";

/** A state as data: what an exploration keeps of it. */
export interface StateData {
  readonly value: OperationSnapshot["value"];
  readonly context: OperationSnapshot["context"];
}

/** Nothing is left out. */
const withoutLimits: Omit<Bounds, "defectsCost"> = {
  frames: Number.POSITIVE_INFINITY,
  framesAlone: Number.POSITIVE_INFINITY,
  framesOfRetries: Number.POSITIVE_INFINITY,
  framesOfPolls: Number.POSITIVE_INFINITY,
  defectsAmidOutsiders: defectKinds,
  defectsOfPolls: defectKinds,
  attempts: Number.POSITIVE_INFINITY,
  outsidersOnLine: Number.POSITIVE_INFINITY,
  polls: Number.POSITIVE_INFINITY,
  pollsWithOutsiders: Number.POSITIVE_INFINITY,
  ends: streamEnds,
  endsOfLongStreams: streamEnds,
  endsOfRetries: streamEnds,
  endsOfPolls: streamEnds,
};

/** Why `event` is not enabled in a state; `undefined` where it is. */
export function whyNot({ value, context }: StateData, event: OperationEvent): WhyNot | undefined {
  const state = operationMachine.resolveState({ value, context });
  if (state.can(event)) return isExplored(context, event) ? undefined : "bounds";
  const unlimited = operationMachine.resolveState({
    value,
    context: { ...context, bounds: { ...context.bounds, ...withoutLimits } },
  });
  if (unlimited.can(event)) return "bounds";
  return state._nodes.some((node) => node.transitions.has(event.type)) ? "guard" : "place";
}
