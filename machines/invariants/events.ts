/** What the application is told: each announcement once, and in its place (section J). */
import type { History } from "../history.ts";
import { accepts, each, found, type Invariant, type Judgement, steps } from "./judging.ts";

/** The invariants of section J. */
export const events: readonly Invariant[] = [
  {
    id: "J1",
    title: "a live response announces its message_end once, before its settlement lands",
    judge: judgeMessageEnds,
  },
  {
    id: "J3",
    title: "entry_added follows the landing of its entry, once",
    judge: judgeEntriesAdded,
  },
  {
    id: "J4",
    title: "each throw of a listener is reported once, and nobody sees what a listener changes",
    judge: judgeListeners,
  },
];

/** J1: a live response announces its end once, before its settlement lands; an attempt that never settles
 * announces it at most once. */
function judgeMessageEnds(history: History): Judgement {
  let ends = 0;
  let live = false;
  let settlements = 0;
  const violations: { step: number; what: string }[] = [];
  history.forEach((step, index) => {
    if (step.event.type === "reopen" || accepts(step)) [ends, live] = [0, false];
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

/** J3: an entry is announced once, after the transaction that made it durable. */
function judgeEntriesAdded(history: History): Judgement {
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

/** J4: every throw of a listener is reported, once, and what a listener changes nobody else sees. */
function judgeListeners(history: History): Judgement {
  return each(
    steps(history, ({ audience: { throws, reports, altered } }) => throws + reports + altered.length > 0),
    ({ audience: { throws, reports, altered } }) => {
      if (altered.length > 0) return altered[0];
      return throws === reports ? undefined : `${throws} throws of a listener were reported ${reports} times`;
    },
  );
}
