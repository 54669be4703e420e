/** The stated limits of a session with two lanes (`docs/decisions/0006-two-lanes.md` says why each of them). */

import { alphabet, operationEvents } from "../alphabet.ts";
import type { Bounds } from "../operation/rules/context.ts";
import type { EventType, OfType, OperationEvent } from "../vocabulary.ts";
import type { PerLane } from "./vocabulary.ts";

/** The stated limits of one lane of two. */
export interface LaneBounds {
  readonly bounds: Bounds;
  /** How many operations the lane ever accepts. */
  readonly operations: "one" | "any";
  /** What never happens on this lane. */
  readonly never: readonly EventType[];
}

/** What may act on one lane. */
export const laneEvents: readonly OperationEvent[] = operationEvents.filter(
  (event) => alphabet[event.type].lanes === "each" && (event.type !== "stream.defect" || isDefectForAll(event)),
);

/** What happens to both lanes at once. */
export const sessionEvents: readonly OperationEvent[] = operationEvents.filter(
  ({ type }) => alphabet[type].lanes === "session",
);

/** Every defect costs the same; one of them, and where it stops the harness with nothing at the store. */
function isDefectForAll(event: OfType<"stream.defect">): boolean {
  return event.defect === "iterator_throws" && (event.costs === "response" || event.kept === "overlapping");
}

const one = {
  attempts: 1,
  outsidersOnLine: 1,
  framesAlone: 0,
  framesOfRetries: 0,
  framesOfPolls: 0,
  polls: 0,
  pollsWithOutsiders: 0,
  defectsAmidOutsiders: [],
  defectsOfPolls: [],
  endsOfRetries: [],
  endsOfPolls: [],
  endsOfLongStreams: ["aborted"],
} as const satisfies Partial<Bounds>;

/**
 * Lane `a` does all that may disturb another; lane `b` goes through the phases of an operation that nobody disturbs by itself.
 *
 * @param defectsCost what the harness says that a protocol defect costs. One that costs its response happens on lane `a` alone:
 * the failures that it leads to, on both lanes, would double the graph.
 */
export const laneBoundsFor = (defectsCost: Bounds["defectsCost"]): PerLane<LaneBounds> => ({
  a: { bounds: { ...one, defectsCost, frames: 2, ends: ["stop", "aborted"] }, operations: "any", never: [] },
  b: {
    bounds: { ...one, defectsCost, frames: 1, ends: ["stop"] },
    operations: "one",
    never: ["cancel", "finalize", ...(defectsCost === "response" ? (["stream.defect"] as const) : [])],
  },
});

/** The bounds for a harness whose protocol defects cost their response (Q6). */
export const laneBounds: PerLane<LaneBounds> = laneBoundsFor("response");
