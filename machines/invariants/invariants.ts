/**
 * What holds over the whole history of any run (section N, and the atomicity rules behind it). Each invariant says how
 * often its premise held: one whose premise never held has checked nothing, and fails the run.
 */

import type { History, HistoryStep, LandingFact } from "../history.ts";
import type { RequirementId } from "../requirements.ts";
import { judgeEntriesAdded, judgeMessageEnds, judgeOperationEnds, judgeRecoveryEvents } from "./announcements.ts";
import { judgeListeners, judgeWatchers } from "./audience.ts";
import { judgePermits, judgeRemoteCancels, judgeReplacements } from "./deferred.ts";
import { frameDefect, frameKey, isObject } from "./frame-shape.ts";
import { each, found, isSettlement, type Judgement, landings, listOf, type Situation, steps } from "./judging.ts";

export interface Invariant {
  readonly id: RequirementId;
  readonly title: string;
  judge(history: History): Judgement;
}

/** The first named transaction of the drive that an activation starts, for each restart point. */
const restarts: Readonly<Record<string, readonly string[]>> = {
  ready: ["intent", "terminal"],
  effect_pending: ["recover"],
  retry_wait: ["intent", "terminal"],
  tools: ["intent", "terminal"],
  checkpoint: ["terminal"],
  "deferred.suspended": ["intent", "terminal"],
  "deferred.effect_pending": ["intent", "recover"],
};

export const invariants: readonly Invariant[] = [
  {
    id: "N1",
    title: "scalar state alone selects the restart point",
    judge: (history) => {
      const restarted = steps(history, (step, index) => activates(step) && reopenedBefore(history, index));
      return each(restarted, (_, index) => {
        const at = history[index - 1]?.durable.at ?? "none";
        const first = firstOwnCommit(history, index);
        const allowed = restarts[at];
        if (first === undefined || allowed === undefined || allowed.includes(first)) return undefined;
        return `a lane restored at ${at} restarted with ${first}`;
      });
    },
  },
  {
    id: "N2",
    title: "one effect-pending response id makes exactly one frame address",
    judge: (history) =>
      each(
        landings(history, (landing) => landing.appended.length > 0),
        (landing) => {
          const other = landing.appended.find(({ list }) => list !== listOf(landing));
          return other === undefined ? undefined : `a frame of ${listOf(landing)} went to ${other.list}`;
        },
      ),
  },
  {
    id: "N3",
    title: "every stored element is a pi-ai frame",
    judge: (history) =>
      each(
        landings(history, (landing) => landing.appended.length > 0),
        (landing) => landing.appended.map(({ element }) => frameDefect(element)).find((defect) => defect !== undefined),
      ),
  },
  {
    id: "N4",
    title: "no done or error is ever stored",
    judge: (history) =>
      each(
        landings(history, (landing) => landing.appended.length > 0),
        (landing) => {
          const terminal = landing.appended.find(
            ({ element }) => isObject(element) && (element.type === "done" || element.type === "error"),
          );
          return terminal === undefined ? undefined : "a terminal event was stored as a frame";
        },
      ),
  },
  {
    id: "N5",
    title: "frame order is a subsequence of provider event order",
    judge: judgeFrameOrder,
  },
  {
    id: "N6",
    title: "when settlement awaits, every accepted append has completed",
    judge: (history) =>
      each(
        steps(
          history,
          (step) => step.hooks > 0 || step.events.some(({ name, recovery }) => name === "message_end" && !recovery),
        ),
        (step) => (step.atStore.includes("frame") ? "an append is still at the store" : undefined),
      ),
  },
  {
    id: "N7",
    title: "frames never imply completion and never suppress recovery",
    judge: (history) => {
      const orphaned = steps(history, (step, index) => {
        const before = history[index - 1];
        return activates(step) && reopenedBefore(history, index) && (before?.durable.listed ?? 0) > 0;
      });
      return each(orphaned, (_, index) => {
        const first = firstOwnCommit(history, index);
        // The frames of an unknown poll may be abandoned with it: its replacement asks for the whole response (G3).
        const replaces = first === "intent" && history[index - 1]?.durable.at === "deferred.effect_pending";
        return first === undefined || first === "recover" || replaces
          ? undefined
          : `restored frames led to ${first}, not to recovery`;
      });
    },
  },
  {
    id: "N8",
    title: "settlement deletes the exact list in its own transaction",
    judge: (history) =>
      each(settlementsWithFrames(history), ({ landing, list }) =>
        landing.listsLeft.includes(list) || !landing.deleted.includes(list)
          ? `the list ${list} outlives its settlement`
          : undefined,
      ),
  },
  {
    id: "N9",
    title: "a restored partial is never in the transcript before settlement",
    judge: (history) =>
      each(
        steps(
          history,
          (step) => step.pendingResponse !== undefined && step.snapshots.some(({ hasPartial }) => hasPartial),
        ),
        (step) =>
          step.snapshots.some(({ transcriptIds }) => transcriptIds.includes(step.pendingResponse as string))
            ? "the pending response stands in the transcript"
            : undefined,
      ),
  },
  {
    id: "N10",
    title: "interrupted partial tool calls never make a tool plan",
    judge: (history) =>
      each(
        landings(history, ({ commit }) => commit === "recover"),
        (landing) => (landing.plansTools ? "a recovery planned tools" : undefined),
      ),
  },
  {
    id: "N12",
    title: "terminal cleanup and external finalization leave no operation-owned frame list",
    judge: (history) =>
      each(
        landings(history, ({ ends }) => ends !== undefined),
        (landing) => {
          const left = landing.listsLeft.find((list) => list.startsWith(`${landing.ends}:`));
          return left === undefined ? undefined : `the frame list ${left} outlives its operation`;
        },
      ),
  },
  {
    id: "N13",
    title: "a lane at rest leaves no promise pending",
    judge: (history) =>
      each(
        steps(history, (step) => step.resting),
        stillPending,
      ),
  },
  {
    id: "D1",
    title: "response, usage and decision are one transaction",
    judge: (history) =>
      each(
        landings(history, ({ responses, commit }) => responses.length > 0 || isSettlement({ commit } as LandingFact)),
        (landing) => {
          const [response] = landing.responses;
          if (landing.responses.length !== 1 || response === undefined)
            return `${landing.responses.length} responses at once`;
          if (landing.usage.length !== 1 || landing.usage[0]?.entryId !== response.id)
            return "a response without its usage row";
          return landing.decides ? undefined : "a response without a decision";
        },
      ),
  },
  {
    id: "K3",
    title: "at most one terminal transaction per operation ever lands",
    judge: (history) => {
      const ended = new Set<string>();
      return each(
        landings(history, ({ ends }) => ends !== undefined),
        ({ ends }) => {
          const twice = ended.has(ends as string);
          ended.add(ends as string);
          return twice ? `operation ${ends} ended twice` : undefined;
        },
      );
    },
  },
  {
    id: "K1",
    title: "a close leaves no promise pending",
    judge: (history) =>
      each(
        steps(history, (step) => step.calls.some(({ call, outcome }) => call === "close" && outcome === "ok")),
        (step) => stillPending(withoutOutsider(step)),
      ),
  },
  {
    id: "K2",
    title: "a fault leaves no promise pending",
    judge: (history) =>
      each(
        steps(history, (step) => step.events.some(({ name }) => name === "fault")),
        (step) => stillPending(withoutOutsider(step)),
      ),
  },
  {
    id: "O2",
    title: "an operation that a drive ends announces its end, once",
    judge: judgeOperationEnds,
  },
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
    id: "I4",
    title: "a recovery announces message_start, message_end, entry_added, each once, with its tag",
    judge: judgeRecoveryEvents,
  },
  {
    id: "I5",
    title: "a watcher gets each later event once, in order, from the moment of its snapshot on",
    judge: judgeWatchers,
  },
  {
    id: "J4",
    title: "each throw of a listener is reported once, and nobody sees what a listener changes",
    judge: judgeListeners,
  },
  {
    id: "E8",
    title: "error and aborted responses stay out of later provider context",
    judge: (history) => {
      let settledBefore = 0;
      const later = found(history, ({ requests, landings: landed }) => {
        const behind = settledBefore > 0 ? requests : [];
        settledBefore += landed.filter(isSettlement).length;
        return behind;
      });
      return each(later, ({ contextStops }) =>
        contextStops.some((stop) => stop === "error" || stop === "aborted")
          ? "a failed response was sent to the provider"
          : undefined,
      );
    },
  },
];

const activates = ({ event }: HistoryStep): boolean => event.type === "activate" || event.type === "permit";

const stillPending = ({ openCalls }: Pick<HistoryStep, "openCalls">): string | undefined =>
  openCalls.length > 0 ? `still pending: ${openCalls.join(", ")}` : undefined;

/** The promise of a finalization belongs to the outside party, not to the harness that stops. */
const withoutOutsider = ({ openCalls }: HistoryStep): Pick<HistoryStep, "openCalls"> => ({
  openCalls: openCalls.filter((call) => call !== "finalize"),
});

/** Whether the activation at `index` is the first since a reopen. */
function reopenedBefore(history: History, index: number): boolean {
  for (let at = index - 1; at >= 0; at--) {
    const type = history[at]?.event.type;
    if (type === "reopen") return true;
    if (type === "activate" || type === "permit" || type === "accept") return false;
  }
  return false;
}

/** The first commit that the drive itself hands to the store after the activation at `index`, while its process lives. */
function firstOwnCommit(history: History, index: number): string | undefined {
  for (const step of history.slice(index)) {
    if (["crash", "close", "fail", "lose_reply", "reopen", "accept"].includes(step.event.type)) return undefined;
    const own = step.atStore.find((commit) => commit !== "cancel" && commit !== "finalize");
    if (own !== undefined) return own;
  }
  return undefined;
}

interface SettlementOfFrames {
  readonly landing: LandingFact;
  readonly list: string;
}

function settlementsWithFrames(history: History): Situation<SettlementOfFrames>[] {
  const filled = new Set<string>();
  return found(history, (step) => {
    const settlements: SettlementOfFrames[] = [];
    for (const landing of step.landings) {
      for (const { list } of landing.appended) filled.add(list);
      if (!isSettlement(landing)) continue;
      for (const { id } of landing.responses) {
        const list = [...filled].find((key) => key.endsWith(`:${id}`));
        if (list !== undefined) settlements.push({ landing, list });
      }
    }
    return settlements;
  });
}

/** Every list replays a subsequence of the events that its stream had given when the element landed. */
function judgeFrameOrder(history: History): Judgement {
  const given: string[] = [];
  const position = new Map<string, number>();
  let streamBegan = 0;
  let premiseHeld = 0;
  const violations: { step: number; what: string }[] = [];
  history.forEach((step, index) => {
    if (step.requests.length > 0 || step.polls.length > 0) streamBegan = given.length;
    given.push(...step.provider.map(({ type, contentIndex }) => `${type} ${contentIndex ?? ""}`));
    for (const { list, element } of step.landings.flatMap(({ appended }) => appended)) {
      premiseHeld++;
      const from = position.get(list) ?? streamBegan;
      const at = given.indexOf(frameKey(element), from);
      if (at === -1) violations.push({ step: index, what: `${frameKey(element)} is out of provider order` });
      else position.set(list, at + 1);
    }
  });
  return { premiseHeld, violations };
}
