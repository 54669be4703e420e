/** The words in which invariants are told: situations found in a history, and what is wrong with one. */
import type { History, HistoryStep, LandingFact } from "../history.ts";
import type { RequirementId } from "../requirements.ts";
import { commits } from "../vocabulary.ts";

/** What an invariant has found in a history. */
export interface Judgement {
  /** How often the situation occurred that the invariant speaks about. */
  readonly premiseHeld: number;
  /** What is wrong, at which step; empty when the invariant holds. */
  readonly violations: readonly { readonly step: number; readonly what: string }[];
}

/** What holds over the history of any run, and the requirement that says so. */
export interface Invariant {
  readonly id: RequirementId;
  readonly title: string;
  judge(history: History): Judgement;
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

/** The transactions that `when` selects. */
export function landings(history: History, when: (landing: LandingFact) => boolean): Situation<LandingFact>[] {
  const situations: Situation<LandingFact>[] = [];
  for (let step = 0; step < history.length; step++) {
    for (const it of (history[step] as HistoryStep).landings) if (when(it)) situations.push({ step, it });
  }
  return situations;
}

/** The steps that `when` selects. */
export function steps(history: History, when: (step: HistoryStep, index: number) => boolean): Situation<HistoryStep>[] {
  const situations: Situation<HistoryStep>[] = [];
  for (let step = 0; step < history.length; step++) {
    const it = history[step] as HistoryStep;
    if (when(it, step)) situations.push({ step, it });
  }
  return situations;
}

/** Whether a new operation begins: nothing of an operation before it, however that ended, counts for it. */
export const accepts = ({ landings }: HistoryStep): boolean => landings.some(({ commit }) => commit === "accept");

/** Whether a transaction makes a response an entry: live, or by recovery. */
export const isSettlement = ({ commit }: LandingFact): boolean => commit !== "internal" && commits[commit].settles;
/** The frame list of the response that is pending after a transaction. */
export const listOf = (landing: LandingFact): string => `${landing.operationId}:${landing.responseEntryId}`;

/** What is wrong where no promise may be pending. */
export const stillPending = ({ openCalls }: Pick<HistoryStep, "openCalls">): string | undefined =>
  openCalls.length > 0 ? `still pending: ${openCalls.join(", ")}` : undefined;

/** The promise of a finalization belongs to the outside party, not to the harness that stops. */
export const withoutOutsider = ({ openCalls }: HistoryStep): Pick<HistoryStep, "openCalls"> => ({
  openCalls: openCalls.filter((call) => call !== "finalize"),
});
