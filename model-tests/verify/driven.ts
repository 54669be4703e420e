/** What a verification has driven and seen, before a report puts it into words. */
import type { Graph } from "../explore/graph.ts";
import type { Counts } from "../explore/independent.ts";
import type { CompleteSuite } from "../generate/complete.ts";
import type { RacePlan } from "../generate/race-schedules.ts";
import type { Schedule } from "../generate/schedule.ts";
import type { NamedSubject } from "./subject.ts";
import type { Tally } from "./tally.ts";

/** What all driving has come to, before it is put into words. */
export interface Driven {
  readonly graph: Graph;
  readonly independent: Counts;
  readonly subject: NamedSubject;
  readonly tally: Tally;
  readonly plans: readonly RacePlan[];
  readonly generateMs: number;
  readonly stepsLowerBound: number;
  readonly coverageSteps: number;
  readonly internalCrashes: number;
  /** The complete suite that was driven, and its tests. */
  readonly suite: { readonly suite: CompleteSuite; readonly tests: readonly Schedule[] } | undefined;
  /** Random walks that were driven. */
  readonly walks: number;
  readonly determinism: { readonly schedules: number; readonly steps: number; readonly differences: number };
  readonly driveMs: number;
  /** Whether everything was driven that was asked for. */
  readonly complete: boolean;
  /** Whether it was left off because of what was found. */
  readonly bailed: boolean;
}
