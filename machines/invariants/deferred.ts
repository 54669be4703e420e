/** Deferred polling: who may make a poll, what its intent replaces, and what a cancel does about it (section G). */
import type { History, HistoryStep } from "../history.ts";
import { each, found, type Invariant, type Judgement, landings } from "./judging.ts";

/** The invariants of section G. */
export const deferred: readonly Invariant[] = [
  {
    id: "G2",
    title: "a poll is made only with a permit",
    judge: judgePermits,
  },
  {
    id: "G3",
    title: "a replaced poll leaves no list, and its replacement has fresh ids and the same number",
    judge: judgeReplacements,
  },
  {
    id: "G4",
    title: "the provider is asked to give up a deferred response before a cancel settles it",
    judge: judgeRemoteCancels,
  },
];

/** G2: a poll uses up a permit that this process was given; no other activation makes one. */
function judgePermits(history: History): Judgement {
  let permitted = false;
  const polls = found(history, (step) => {
    if (step.event.type === "permit") permitted = true;
    if (step.event.type === "reopen") permitted = false;
    return step.polls.map(() => {
      const had = permitted;
      permitted = false;
      return had;
    });
  });
  return each(polls, (had) => (had ? undefined : "a poll was made without a permit"));
}

/** G3: the intent that replaces an unknown poll has fresh ids, drops the abandoned list and keeps the number. */
function judgeReplacements(history: History): Judgement {
  const intents = landings(history, ({ commit }) => commit === "intent").flatMap(({ step, it }) => {
    const before = history[step - 1];
    return before?.durable.at.startsWith("deferred.") ? [{ step, it: { landing: it, before } }] : [];
  });
  return each(intents, ({ landing, before }, step) => {
    const replaces = before.durable.at === "deferred.effect_pending";
    const number = before.durable.poll + (replaces ? 0 : 1);
    const { poll } = (history[step] as HistoryStep).durable;
    if (poll !== number) return `the intent made it poll ${poll} instead of ${number}`;
    if (!replaces) return undefined;
    if (landing.responseEntryId === before.pendingResponse) return "the replacement kept the response id";
    const abandoned = `${landing.operationId}:${before.pendingResponse}`;
    const dropped = landing.deleted.includes(abandoned) || before.durable.listed === 0;
    return dropped && !landing.listsLeft.includes(abandoned) ? undefined : `the list ${abandoned} was left`;
  });
}

/** G4: before a cancel settles a poll, or ends a suspended operation, the provider was asked to give it up. */
function judgeRemoteCancels(history: History): Judgement {
  let asked = false;
  const ended = found(history, (step, index) => {
    if (step.event.type === "reopen" || step.event.type === "accept") asked = false;
    asked ||= step.remoteCancels.length > 0;
    const { at } = history[index - 1]?.durable ?? { at: "none" };
    return step.landings
      .filter(
        ({ commit }) =>
          (commit === "recover" && at === "deferred.effect_pending") ||
          (commit === "terminal" && at === "deferred.suspended"),
      )
      .map(() => asked);
  });
  return each(ended, (was) => (was ? undefined : "a deferred response was given up without telling the provider"));
}
