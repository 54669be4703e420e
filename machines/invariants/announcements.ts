/** Judges of what the application is told: each announcement once, and in its place (sections I and J). */
import type { History, HistoryStep } from "../history.ts";
import { each, found, type Judgement, type Situation } from "./judging.ts";

/** J3: an entry is announced once, after the transaction that made it durable. */
export function judgeEntriesAdded(history: History): Judgement {
  const durable = new Set<string>();
  const announced = new Set<string>();
  const added = found(history, (step) => {
    for (const landing of step.landings) for (const { id } of landing.responses) durable.add(id);
    return step.events
      .filter(({ name }) => name === "entry_added")
      .map(({ entryId = "unknown" }) => ({ id: entryId, known: durable.has(entryId) }));
  });
  return each(added, ({ id, known }) => {
    const twice = announced.has(id);
    announced.add(id);
    if (!known) return `entry ${id} was announced before it was durable`;
    return twice ? `entry ${id} was announced twice` : undefined;
  });
}

/**
 * I4: the tagged lifecycle since the process opened the session, or since its last recovery. Of live responses only a poll that
 * replaces an unknown one may be tagged: the first answer to it is lost.
 */
export function judgeRecoveryEvents(history: History): Judgement {
  let lifecycle: string[] = [];
  let live: "none" | "ordinary" | "replacing" = "none";
  let replaces = false;
  const tagged: Situation<readonly string[] | "ordinary">[] = [];
  history.forEach((step, index) => {
    if (step.event.type === "reopen") [lifecycle, live] = [[], "none"];
    if (step.landings.some(({ commit }) => commit === "intent")) {
      replaces = history[index - 1]?.durable.at === "deferred.effect_pending";
    }
    for (const { name, recovery } of step.events) {
      if (recovery && live === "ordinary") tagged.push({ step: index, it: live });
      if (recovery && live === "none" && name !== "usage") lifecycle.push(name);
      if (name !== "entry_added") continue;
      if (lifecycle.length > 0) tagged.push({ step: index, it: lifecycle });
      [lifecycle, live] = [[], "none"];
    }
    if (step.requests.length > 0) live = "ordinary";
    if (step.polls.length > 0) live = replaces ? "replacing" : "ordinary";
  });
  return each(tagged, (names) => {
    if (names === "ordinary") return "a live response was announced as a recovery";
    return names.join() === "message_start,message_end,entry_added"
      ? undefined
      : `a recovery announced ${names.join(", ")}`;
  });
}

/** J1: a live response announces its end once, before its settlement lands; an attempt that settles never at most once. */
export function judgeMessageEnds(history: History): Judgement {
  let ends = 0;
  let live = false;
  let settlements = 0;
  const violations: { step: number; what: string }[] = [];
  history.forEach((step, index) => {
    if (step.event.type === "reopen") live = false;
    if (step.requests.length > 0 || step.polls.length > 0) [ends, live] = [0, true];
    for (const { commit } of step.landings) {
      if (commit !== "settle") continue;
      settlements++;
      live = false;
      if (ends === 0) violations.push({ step: index, what: "a response settled before its message_end" });
    }
    for (const { name, recovery } of step.events) {
      if (name !== "message_end" || (recovery && !live)) continue;
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
