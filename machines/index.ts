/**
 * The specification: the lifecycle of one operation as a state machine, the race table, the invariants and the
 * requirements they serve. Pure: no input or output, no clock, no randomness, nothing imported from `src/`.
 */

/** The requirements: each with its id and its sentence. */

export { type RequirementId, requirementIds, requirements, sections } from "./requirements.ts";

/** The vocabulary: events, commits, calls, effects, ends and defects of a stream. */

export {
  type AskedKind,
  type At,
  type Call,
  type CallOutcome,
  type CommitName,
  callOutcomes,
  commitNames,
  type DefectKind,
  defectKinds,
  type Effect,
  type EventType,
  type Kept,
  type LifecycleEvent,
  lengthenedTo,
  maxToolRuns,
  type OperationEvent,
  type Outcome,
  plannedTools,
  type ResponseInsert,
  type StreamDefect,
  type StreamEnd,
  streamEndings,
  streamEnds,
  type ToolEnd,
  type ToolName,
  type ToolPlan,
  type ToolProgress,
  toolNames,
} from "./vocabulary.ts";

/** The alphabet: all that is said of each event, in one table. */

export { alphabet, eventTypes, operationEvents } from "./alphabet.ts";

/** The operation machine, its bounds, and what its states predict. */

export { type BoundsName, boundsByName, boundsFor } from "./operation/bounds.ts";
export { deferredMachine } from "./operation/deferred/machine.ts";
export { isExplored } from "./operation/long-streams.ts";
export { operationMachine } from "./operation/machine.ts";
export {
  type Expected,
  isResting,
  type OperationPath,
  type OperationSnapshot,
  pathOf,
  project,
  type StreamingSource,
  stateName,
} from "./operation/projection.ts";
export type { Bounds, Context, Durable, LineItem, Parked } from "./operation/rules/context.ts";
export { type StateData, type WhyNot, whyNot } from "./operation/why-not.ts";

/** Two lanes over one session line. */

export { type LaneBounds, laneBounds, laneBoundsFor } from "./lanes/bounds.ts";
export { enabledEvents } from "./lanes/enabled.ts";
export type { LaneState } from "./lanes/lane.ts";
export { advance, newSession, type Session, type SessionStep } from "./lanes/session.ts";
export {
  type JointEvent,
  type LaneName,
  laneNames,
  type PerLane,
  type Place,
  perLane,
  type Shown,
} from "./lanes/vocabulary.ts";

/** The history of a run as facts: what invariants and race rows judge. */

export type {
  AnnouncedFact,
  AudienceFact,
  History,
  HistoryStep,
  LandingFact,
  ProviderFact,
  SnapshotFact,
  WatcherFact,
} from "./history.ts";

/** The invariants: what holds over the history of any run. */

export { invariants } from "./invariants/invariants.ts";
export type { Invariant, Judgement } from "./invariants/judging.ts";

/** The race table: two actions a row, and what each order requires. */

export type { Act } from "./races/acts.ts";
export type { RaceRun, RequiredResult } from "./races/results.ts";
export { type Race, races } from "./races/rows.ts";
