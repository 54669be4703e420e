/** Snapshots and reconnect (section I). */
import type { History } from "../history.ts";
import { accepts, each, type Invariant, type Judgement, type Situation } from "./judging.ts";
import { judgeWatchers } from "./watchers.ts";

/** The invariants of section I. */
export const snapshots: readonly Invariant[] = [
  {
    id: "I4",
    title: "a recovery announces message_start, message_end, entry_added, each once, with its tag",
    judge: judgeRecoveryEvents,
  },
  {
    id: "I5",
    title: "a watcher gets each later event once, in order, from the moment of its snapshot on",
    judge: judgeWatchers,
  },
];

/**
 * I4: the tagged lifecycle since the process opened the session, or since its last recovery. Of live responses only a poll that
 * replaces an unknown one may be tagged: the first answer to it is lost.
 */
function judgeRecoveryEvents(history: History): Judgement {
  let lifecycle: string[] = [];
  let live: "none" | "ordinary" | "replacing" = "none";
  let replaces = false;
  const tagged: Situation<readonly string[] | "ordinary">[] = [];
  history.forEach((step, index) => {
    if (step.event.type === "reopen" || accepts(step)) [lifecycle, live] = [[], "none"];
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
