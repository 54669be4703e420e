/** Judges one history by every invariant, and counts how often each had something to say. */
import { type History, invariants } from "../../machines/index.ts";
import { broken, type Mismatch } from "../drive/mismatch.ts";
import type { InvariantTally, Tally } from "./tally.ts";

/** A mismatch, and the step of a run that shows it. */
export interface FailedStep {
  readonly at: number;
  readonly mismatch: Mismatch;
}

/** @returns the first violation of each invariant that the history violates. */
export function judgeHistory(tally: Pick<Tally, "invariants">, history: History): FailedStep[] {
  return invariants.flatMap(({ id, title, judge }) => {
    const { premiseHeld, violations } = judge(history);
    const total = tally.invariants.get(id) as InvariantTally;
    total.checked++;
    total.premiseHeld += premiseHeld;
    total.violated += violations.length;
    const [first] = violations;
    return first === undefined ? [] : [{ at: first.step, mismatch: broken(id, "invariant", title, first.what) }];
  });
}
