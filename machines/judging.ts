/** The words in which invariants are told: situations found in a history, and what is wrong with one. */
import type { History, HistoryStep, LandingFact } from "./history.ts";

export interface Judgement {
  /** How often the situation occurred that the invariant speaks about. */
  readonly premiseHeld: number;
  /** What is wrong, at which step; empty when the invariant holds. */
  readonly violations: readonly { readonly step: number; readonly what: string }[];
}

/** Judge every situation that `find` picks: `undefined` when it is fine, else what is wrong. */
export function each<T>(
  situations: readonly { readonly step: number; readonly it: T }[],
  wrong: (it: T, step: number) => string | undefined,
): Judgement {
  const violations = situations.flatMap(({ step, it }) => {
    const what = wrong(it, step);
    return what === undefined ? [] : [{ step, what }];
  });
  return { premiseHeld: situations.length, violations };
}

export const landings = (history: History, when: (landing: LandingFact) => boolean) =>
  history.flatMap((step, index) => step.landings.filter(when).map((it) => ({ step: index, it })));

export const steps = (history: History, when: (step: HistoryStep, index: number) => boolean) =>
  history.flatMap((it, step) => (when(it, step) ? [{ step, it }] : []));

export const isSettlement = (landing: LandingFact): boolean =>
  landing.commit === "settle" || landing.commit === "recover";
export const listOf = (landing: LandingFact): string => `${landing.operationId}:${landing.responseEntryId}`;
