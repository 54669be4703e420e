/** The words of a session with two lanes. */
import type { CommitName, Effect, OperationEvent } from "../vocabulary.ts";

/** The names of both lanes. */
export const laneNames = ["a", "b"] as const;
/** The name of a lane. */
export type LaneName = (typeof laneNames)[number];

/** Something that each lane has of its own. */
export type PerLane<T> = Readonly<Record<LaneName, T>>;

/** Makes the same thing for each lane. */
export const perLane = <T>(of: (lane: LaneName) => T): PerLane<T> => ({ a: of("a"), b: of("b") });

/** What happens next: on one lane, or, without a lane, to the session as a whole: its process goes or comes. */
export interface JointEvent {
  readonly lane?: LaneName;
  readonly event: OperationEvent;
}

/**
 * One place on the session line. An `idle` one has lost its operation while it waited: at its turn it writes nothing, and a
 * call that stands there is refused only then.
 */
export interface Place {
  readonly lane: LaneName;
  readonly commit: CommitName;
  readonly landed: boolean;
  readonly idle: boolean;
}

/** What each lane's observer sees of a step. */
export type Shown = PerLane<readonly Effect[]>;
