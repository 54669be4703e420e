/** Judges of what the application is told: each announcement once, and in its place (sections I and J). */
import type { History, HistoryStep } from "./history.ts";
import { each, type Judgement } from "./judging.ts";

/** J3: an entry is announced once, after the transaction that made it durable. */
export function judgeEntriesAdded(history: History): Judgement {
  const durable = new Set<string>();
  const announced = new Set<string>();
  const added = history.flatMap((step, index) => {
    for (const landing of step.landings) for (const { id } of landing.responses) durable.add(id);
    return step.events
      .filter(({ name }) => name === "entry_added")
      .map(({ entryId }) => ({
        step: index,
        it: { id: entryId ?? "unknown", known: durable.has(entryId ?? "unknown") },
      }));
  });
  return each(added, ({ id, known }) => {
    const twice = announced.has(id);
    announced.add(id);
    if (!known) return `entry ${id} was announced before it was durable`;
    return twice ? `entry ${id} was announced twice` : undefined;
  });
}

/** I4: the tagged lifecycle since the process opened the session, or since its last recovery. */
export function judgeRecoveryEvents(history: History): Judgement {
  let lifecycle: string[] = [];
  const recoveries = history.flatMap((step, index) => {
    if (step.event.type === "reopen") lifecycle = [];
    const found: { step: number; it: readonly string[] }[] = [];
    for (const { name, recovery } of step.events) {
      if (!recovery || name === "usage") continue;
      lifecycle.push(name);
      if (name !== "entry_added") continue;
      found.push({ step: index, it: lifecycle });
      lifecycle = [];
    }
    return found;
  });
  return each(recoveries, (names) =>
    names.join() === "message_start,message_end,entry_added" ? undefined : `a recovery announced ${names.join(", ")}`,
  );
}

/** J1: a live response announces its end once, before its settlement lands; an attempt that settles never at most once. */
export function judgeMessageEnds(history: History): Judgement {
  let ends = 0;
  let settlements = 0;
  const violations: { step: number; what: string }[] = [];
  history.forEach((step, index) => {
    if (step.requests.length > 0) ends = 0;
    for (const { commit } of step.landings) {
      if (commit !== "settle") continue;
      settlements++;
      if (ends === 0) violations.push({ step: index, what: "a response settled before its message_end" });
    }
    for (const { name, recovery } of step.events) {
      if (name !== "message_end" || recovery) continue;
      ends++;
      if (ends > 1) violations.push({ step: index, what: "a response announced its message_end again" });
    }
  });
  return { premiseHeld: settlements, violations };
}

const isResult = ({ call, outcome }: HistoryStep["calls"][number]): boolean =>
  call === "activate" && ["completed", "failed", "aborted", "finalized"].includes(outcome);

/**
 * O2: an activation that resolves with a result has announced the operation's end, once. Behind a listener that has not
 * returned the announcement waits: the machine says when it comes.
 */
export function judgeOperationEnds(history: History): Judgement {
  let ends = 0;
  let held = false;
  let resolved = 0;
  const violations: { step: number; what: string }[] = [];
  history.forEach((step, index) => {
    const { type } = step.event;
    if (type === "accept" && step.atStore.includes("accept")) ends = 0;
    if (["reopen", "crash", "listener.release", "late"].includes(type)) held = false;
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
