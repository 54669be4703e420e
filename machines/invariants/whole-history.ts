/** What holds over the whole history of any run (section N). */
import { processAfter } from "../alphabet.ts";
import type { History, HistoryStep, LandingFact } from "../history.ts";
import { type At, type CommitName, isOutsider } from "../vocabulary.ts";
import { frameDefect, frameKey, isObject } from "./frame-shape.ts";
import {
  each,
  found,
  type Invariant,
  isSettlement,
  type Judgement,
  landings,
  listOf,
  type Situation,
  steps,
  stillPending,
} from "./judging.ts";

/** The first named transaction of the drive that an activation starts, for each restart point. */
const restarts: Readonly<Record<Exclude<At, "none">, readonly CommitName[]>> = {
  ready: ["intent", "terminal"],
  effect_pending: ["recover"],
  retry_wait: ["intent", "terminal"],
  tools: ["mark", "intent", "terminal"],
  checkpoint: ["terminal"],
  "deferred.suspended": ["intent", "terminal"],
  "deferred.effect_pending": ["intent", "recover"],
};

/** An observer may have found no position, or one that it does not know. */
const isRestartPoint = (at: HistoryStep["durable"]["at"]): at is keyof typeof restarts => at in restarts;

/** The invariants of section N. */
export const wholeHistory: readonly Invariant[] = [
  {
    id: "N1",
    title: "scalar state alone selects the restart point",
    judge: (history) => {
      const restarted = steps(history, (step, index) => activates(step) && reopenedBefore(history, index));
      return each(restarted, (_, index) => {
        const at = history[index - 1]?.durable.at ?? "none";
        const first = firstOwnCommit(history, index);
        if (first === undefined || !isRestartPoint(at) || restarts[at].includes(first)) return undefined;
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
];

const activates = ({ event }: HistoryStep): boolean => event.type === "activate" || event.type === "permit";

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
function firstOwnCommit(history: History, index: number): CommitName | undefined {
  for (const step of history.slice(index)) {
    if (step.event.type === "accept") return undefined;
    const own = step.atStore.find((commit) => !isOutsider(commit));
    if (own !== undefined) return own;
    if (processAfter(step.event) !== "lives") return undefined;
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
