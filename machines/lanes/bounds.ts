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

/** Every defect stops the harness alike; one of them, with nothing at the store. */
function isDefectForAll({ defect, kept }: OfType<"stream.defect">): boolean {
  return defect === "iterator_throws" && kept === "overlapping";
}

const one = {
  attempts: 1,
  outsidersOnLine: 1,
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

/** Lane `a` does all that may disturb another; lane `b` goes through the phases of an operation that nobody disturbs by itself. */
export const laneBounds: PerLane<LaneBounds> = {
  a: { bounds: { ...one, frames: 2, ends: ["stop", "aborted"] }, operations: "any", never: [] },
  b: { bounds: { ...one, frames: 1, ends: ["stop"] }, operations: "one", never: ["cancel", "finalize"] },
};
