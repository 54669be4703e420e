/** The words in which invariants are told: situations found in a history, and what is wrong with one. */
import type { History, HistoryStep, LandingFact } from "../history.ts";

export interface Judgement {
  /** How often the situation occurred that the invariant speaks about. */
  readonly premiseHeld: number;
  /** What is wrong, at which step; empty when the invariant holds. */
  readonly violations: readonly { readonly step: number; readonly what: string }[];
}

/** Something found in a history, and the step that shows it. */
export interface Situation<T> {
  readonly step: number;
  readonly it: T;
}

/** Judge every situation: `undefined` when it is fine, else what is wrong. */
export function each<T>(
  situations: readonly Situation<T>[],
  wrong: (it: T, step: number) => string | undefined,
): Judgement {
  const violations: { step: number; what: string }[] = [];
  for (const { step, it } of situations) {
    const what = wrong(it, step);
    if (what !== undefined) violations.push({ step, what });
  }
  return { premiseHeld: situations.length, violations };
}

/** What `of` finds at the steps of a history. Every run is judged by all invariants: loops, because they are cheap. */
export function found<T>(history: History, of: (step: HistoryStep, index: number) => readonly T[]): Situation<T>[] {
  const situations: Situation<T>[] = [];
  for (let step = 0; step < history.length; step++) {
    for (const it of of(history[step] as HistoryStep, step)) situations.push({ step, it });
  }
  return situations;
}

export function landings(history: History, when: (landing: LandingFact) => boolean): Situation<LandingFact>[] {
  const situations: Situation<LandingFact>[] = [];
  for (let step = 0; step < history.length; step++) {
    for (const it of (history[step] as HistoryStep).landings) if (when(it)) situations.push({ step, it });
  }
  return situations;
}

export function steps(history: History, when: (step: HistoryStep, index: number) => boolean): Situation<HistoryStep>[] {
  const situations: Situation<HistoryStep>[] = [];
  for (let step = 0; step < history.length; step++) {
    const it = history[step] as HistoryStep;
    if (when(it, step)) situations.push({ step, it });
  }
  return situations;
}

export const isSettlement = (landing: LandingFact): boolean =>
  landing.commit === "settle" || landing.commit === "recover";
export const listOf = (landing: LandingFact): string => `${landing.operationId}:${landing.responseEntryId}`;
