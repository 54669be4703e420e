/** What a verification is asked, and how it tells how far it has come. */
import type { BoundsName } from "../../machines/index.ts";
import type { SubjectName } from "./subject.ts";

/** The names of the coverage criteria. */
export const criteria = ["states", "transitions", "races", "pairs", "complete", "walks", "rows"] as const;
/**
 * What a verification drives besides the race rows. `states`: every state. `transitions`: every transition. `races`: every
 * transition, and every true race of the graph in both orders. `pairs`: every transition right after each that can come
 * before it. `complete`: every transition, and a suite that is complete for hidden states up to `k` inputs off the access
 * paths. The last four drive some random walks too. `walks`: random walks alone, for as long as the budget lasts.
 * `rows`: nothing.
 */
export type Criterion = (typeof criteria)[number];

/** Whether a criterion asks for every transition: then what a whole run did not reach is not to be had. */
export const drivesAll = (criterion: Criterion): boolean =>
  criterion === "transitions" || criterion === "races" || criterion === "pairs" || criterion === "complete";

/** One of so many equal shares of the schedules, counted from 1. */
export interface Shard {
  readonly index: number;
  readonly of: number;
}

/** What a verification is asked. */
export interface VerifyOptions extends SubjectName {
  readonly criterion: Criterion;
  /** Of the criterion `complete`: how many inputs off an access path a hidden state may lie. */
  readonly k: number;
  /** Ids of the rows to check; all when empty. */
  readonly races: readonly string[];
  readonly bounds: BoundsName;
  readonly seed: number;
  /** How long driving may take; without end when absent. */
  readonly budgetMs: number | undefined;
  readonly shard: Shard;
  /** Stop soon after the first divergence that is not listed. */
  readonly bail?: boolean;
  readonly workers: number;
}

/** How far a verification has come. */
export interface Progress {
  readonly phase: "exploring" | "coverage" | "races" | "tests" | "walks" | "determinism" | "minimising";
  readonly done: number;
  readonly total: number;
}

/** The options of `durability verify` without flags, but for the number of threads. */
export const verifyDefaults: VerifyOptions = {
  sut: "reference",
  store: "memory",
  criterion: "transitions",
  k: 0,
  races: [],
  bounds: "default",
  seed: 1,
  budgetMs: undefined,
  shard: { index: 1, of: 1 },
  workers: 1,
};
