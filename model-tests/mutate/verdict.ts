/** What a trial of a mutant came to. */

/** How a trial ended. `undecided`: its budget ran out, and nothing was seen until then. */
export const verdicts = ["caught", "survived", "stale", "broken", "timed out", "out of memory", "undecided"] as const;
export type Verdict = (typeof verdicts)[number];

/** The result of one trial; the same for every trial of the same mutant on the same sources. */
export interface TrialResult {
  readonly verdict: Verdict;
  /** What saw it: requirement and field of a divergence, a failing reason, a test; or why there is no answer. */
  readonly by?: string;
  /** The schedule that showed it: the labels of its steps. */
  readonly schedule?: readonly string[];
  /** Schedules driven until the verdict. */
  readonly schedules?: number;
}

export const isDetected = ({ verdict }: Pick<TrialResult, "verdict">): boolean =>
  verdict === "caught" || verdict === "timed out" || verdict === "out of memory";
