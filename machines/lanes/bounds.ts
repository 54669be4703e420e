/** The stated limits of a session with two lanes (`docs/decisions/0006-two-lanes.md` says why each of them). */
import type { Bounds } from "../operation/context.ts";
import { operationEvents } from "../operation/events.ts";
import type { EventType, OperationEvent } from "../vocabulary.ts";
import type { PerLane } from "./vocabulary.ts";

export interface LaneBounds {
  readonly bounds: Bounds;
  /** How many operations the lane ever accepts. */
  readonly operations: "one" | "any";
  /** What never happens on this lane. */
  readonly never: readonly EventType[];
}

const leftOut = new Set<EventType>([
  // What a close keeps of the line, polls, retries and lists that others have rewritten: the business of one lane.
  "close",
  "activate.nowait",
  "permit",
  "tick",
  "frames.cut",
  "frames.remove",
  "frames.lengthen",
  // Happen to the session, or come with the event before.
  "crash",
  "reopen",
  "listener.release",
]);

/** What may act on one lane. */
export const laneEvents: readonly OperationEvent[] = operationEvents.filter(
  (event) => !leftOut.has(event.type) && (event.type !== "stream.defect" || isDefectForAll(event)),
);

/** Every defect stops the harness alike; one of them, with nothing at the store. */
function isDefectForAll({ defect, kept }: Extract<OperationEvent, { type: "stream.defect" }>): boolean {
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
