/** The end of the operation around the responses (section O). */
import { alphabet } from "../alphabet.ts";
import type { History, HistoryStep } from "../history.ts";
import { type Outcome, outcomes } from "../vocabulary.ts";
import type { Invariant, Judgement } from "./judging.ts";

/** The invariants of section O. */
export const operation: readonly Invariant[] = [
  {
    id: "O2",
    title: "an operation that a drive ends announces its end, once",
    judge: judgeOperationEnds,
  },
];

const isResult = ({ call, outcome }: HistoryStep["calls"][number]): boolean =>
  call === "activate" && outcomes.includes(outcome as Outcome);

/**
 * O2: an activation that resolves with a result has announced the operation's end, once. Behind a listener that has not
 * returned the announcement waits: the machine says when it comes.
 */
function judgeOperationEnds(history: History): Judgement {
  let ends = 0;
  let held = false;
  let resolved = 0;
  const violations: { step: number; what: string }[] = [];
  history.forEach((step, index) => {
    const { type } = step.event;
    if (type === "accept" && step.atStore.includes("accept")) ends = 0;
    if (alphabet[type].frees) held = false;
    for (const { name, recovery } of step.events) {
      if (!recovery && (name === "message_start" || name === "message_update")) held = true;
      if (name !== "operation_end") continue;
      ends++;
      if (ends > 1) violations.push({ step: index, what: "the end of an operation was announced again" });
    }
    if (held || !step.calls.some(isResult)) return;
    resolved++;
    if (ends === 0) violations.push({ step: index, what: "a drive resolved without announcing the operation's end" });
  });
  return { premiseHeld: resolved, violations };
}
