/** What a verification is asked, and how it tells how far it has come. */
import type { BoundsName } from "../../machines/index.ts";
import type { SubjectName } from "./subject.ts";

/** The names of the coverage criteria. */
export const criteria = ["states", "transitions", "walks", "races"] as const;
/**
 * What a verification drives besides the race rows: every state, every transition and some random walks, random walks alone
 * for as long as the budget lasts, or nothing.
 */
export type Criterion = (typeof criteria)[number];

/** One of so many equal shares of the schedules, counted from 1. */
export interface Shard {
  readonly index: number;
  readonly of: number;
}

/** What a verification is asked. */
export interface VerifyOptions extends SubjectName {
  readonly criterion: Criterion;
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
  readonly phase: "exploring" | "coverage" | "races" | "walks" | "determinism" | "minimising";
  readonly done: number;
  readonly total: number;
}

/** The options of `durability verify` without flags, but for the number of threads. */
export const verifyDefaults: VerifyOptions = {
  sut: "reference",
  store: "memory",
  criterion: "transitions",
  races: [],
  bounds: "default",
  seed: 1,
  budgetMs: undefined,
  shard: { index: 1, of: 1 },
  workers: 1,
};
