/**
 * The checker as a library: `verify` drives an implementation through the schedules that the specification allows, and reports
 * where the two part. An implementation takes part by an adapter. `docs/architecture.md` draws the rooms behind these names.
 */

// What an adapter is written against.
export {
  type Adapter,
  type Clock,
  finalizedCode,
  type Incarnation,
  laneName,
  type ObservedEvent,
  type ObservedSnapshot,
  type RogueListeners,
  type Surroundings,
  type ToolCallRequest,
  type VirtualTime,
  type Way,
} from "./adapters/adapter.ts";
export type { KnownDivergence } from "./adapters/known-divergence.ts";
export { referenceAdapter } from "./adapters/reference.ts";
// One schedule, driven on one implementation.
export { type DrivenStep, type RunEnd, type RunResult, run, type Subject } from "./drive/run.ts";
// A whole verification and its report.
export { UsageError } from "./errors.ts";
// The graph of the machine, and the schedules that are planned from it.
export { explore, type Graph, type GraphEdge, type GraphNode } from "./explore/graph.ts";
export { planRace, type RacePlan, roadsOf } from "./generate/race-schedules.ts";
export type { RacePurpose, Schedule } from "./generate/schedule.ts";
export { type Tours, tours } from "./generate/tours.ts";
export { type Counterexample, parseCounterexample } from "./verify/counterexample.ts";
export { type Criterion, criteria, type Progress, type VerifyOptions, verifyDefaults } from "./verify/options.ts";
export type { Report } from "./verify/report.ts";
export { verify } from "./verify/verify.ts";
