/**
 * The race table as literal objects. The states in which a row applies are computed from the graph: every
 * state where both actions are enabled. Each order names what must hold afterwards, as a function over the history.
 */

import type { RequirementId } from "../requirements.ts";
import type { EventType } from "../vocabulary.ts";
import {
  type Act,
  cancel,
  close,
  finalize,
  landFrame,
  recoveryEnqueued,
  settleEnqueued,
  toolReturns,
  waitingForActivation,
} from "./acts.ts";
import { closeSettlesAlone, snapshotsAreNewest } from "./readers.ts";
import {
  both,
  cancelWins,
  faultBeforeHook,
  framesBeforeSettle,
  listGoneWithEntry,
  noHookAfterCancel,
  noPollBeforeItsReply,
  noRequestAfterCancel,
  noRequestAfterFinalization,
  noSettlementAfterClose,
  notBeforeItsReply,
  nothingAfterFinalization,
  nothingTwice,
  ofOne,
  oneDrive,
  oneTerminal,
  prefixAndNoList,
  prefixRestores,
  type RequiredResult,
  recoveryOnceWhole,
  replacedWhole,
  required,
  responseStands,
  syntheticFirst,
} from "./results.ts";
import { resultStands, resultsRestore, unfinishedAborted } from "./tool-results.ts";

/** One row of the race table: two actions, and what each order requires. */
export interface Race {
  /** `R` for a row of the source documents, `X` for one of this project. */
  readonly id: `${"R" | "X"}${number}`;
  readonly title: string;
  readonly kind: "choice" | "precedence";
  readonly requirements: readonly RequirementId[];
  readonly first: Act;
  readonly second: Act;
  /** For a precedence: events that provoke the second while the first is parked. */
  readonly provoke?: readonly EventType[];
  /** Orders whose continuation no disturbance can tell apart from an ordinary run: they are driven quietly only. */
  readonly quietOrders?: readonly (0 | 1)[];
  /** The result when `first` goes first, and when `second` does; a precedence has its forbidden order last. */
  readonly required: readonly [RequiredResult, RequiredResult];
}

/** The race table. */
export const races: readonly Race[] = [
  {
    id: "R1",
    title: "frame append / next frame",
    kind: "choice",
    requirements: ["C1", "N5"],
    first: landFrame,
    second: { label: "next frame", events: ["stream.start", "stream.update"] },
    required: both("synchronous enqueue keeps provider order", prefixAndNoList),
  },
  {
    id: "R2",
    title: "frame append / stream settlement",
    kind: "choice",
    requirements: ["C5", "N6"],
    first: landFrame,
    second: { label: "stream ends", events: ["stream.end"], ends: ["stop"] },
    required: both("settlement awaits the latest write; all accepted appends land first", framesBeforeSettle),
  },
  {
    id: "R3",
    title: "live update event / frame commit",
    kind: "choice",
    requirements: ["J3", "C1"],
    first: { label: "event delivered", events: ["listener.release"] },
    second: landFrame,
    required: both("either first; the event is observation only, reconnect uses committed frames", prefixRestores),
  },
  {
    id: "R4",
    title: "append / external finalization",
    kind: "choice",
    requirements: ["C4", "K3", "N12"],
    first: { label: "append", events: ["stream.start", "stream.update"] },
    second: finalize,
    required: [
      required("append first: deleted by cleanup", nothingAfterFinalization),
      required("finalization first: append fenced", nothingAfterFinalization),
    ],
  },
  {
    id: "R5",
    title: "process loss / queued writes",
    kind: "choice",
    requirements: ["D4", "E1"],
    first: { label: "process loss", events: ["crash"] },
    second: { label: "queued write lands", events: ["land"], commits: ["frame", "settle"] },
    required: both("exactly the committed prefix restores", prefixRestores),
  },
  {
    id: "R6",
    title: "final frame / response settlement",
    kind: "precedence",
    requirements: ["C5", "C7", "D1", "N8"],
    first: {
      label: "final frame replied",
      events: ["reply"],
      commits: ["frame"],
      states: ["effect_pending.awaiting_writes"],
    },
    second: { label: "response settlement", events: ["land"], commits: ["settle"] },
    provoke: ["land", "snapshot", "activate"],
    quietOrders: [1],
    required: [
      required(
        "frame first; settlement deletes list and inserts entry atomically",
        ofOne((run) => framesBeforeSettle(run) ?? listGoneWithEntry(run)),
      ),
      notBeforeItsReply("settle"),
    ],
  },
  {
    id: "R7",
    title: "activation / snapshot",
    kind: "choice",
    requirements: ["E2", "I1", "I3"],
    first: { label: "activation", events: ["activate"], states: ["suspended", "deferred.unknown"] },
    second: {
      label: "snapshot",
      events: ["snapshot"],
      states: ["suspended", "recovering", "deferred.unknown"],
    },
    required: both("both reduce the same committed prefix; activation may then settle and clear", recoveryOnceWhole),
  },
  {
    id: "R8",
    title: "unknown generation / retry",
    kind: "precedence",
    requirements: ["E5", "E7", "C7"],
    first: { label: "synthetic response replied", events: ["reply"], commits: ["recover"], states: ["recovering"] },
    second: { label: "later attempt", events: ["reply"], commits: ["intent"] },
    provoke: ["land", "tick", "activate"],
    quietOrders: [1],
    required: [
      required("synthetic partial error commits under the old ids before a later attempt", syntheticFirst),
      notBeforeItsReply("request"),
    ],
  },
  {
    id: "R9",
    title: "unknown deferred poll / replacement",
    kind: "precedence",
    requirements: ["G2", "G3", "C7"],
    first: {
      label: "replacing intent lands and is replied",
      events: ["land", "reply"],
      commits: ["intent"],
      states: ["deferred.polling.replacing"],
    },
    second: { label: "poll", events: ["reply"], shows: "poll" },
    provoke: ["land", "snapshot", "activate", "permit"],
    required: [
      required("old list deleted with the fresh intent; new id, new list", replacedWhole),
      noPollBeforeItsReply,
    ],
  },
  {
    id: "X1",
    title: "cancel / response settlement",
    kind: "choice",
    requirements: ["F1", "F2", "F4"],
    first: cancel,
    second: settleEnqueued,
    required: [
      required("cancel first: aborted", cancelWins),
      required("settlement first: the response stands", responseStands),
    ],
  },
  {
    id: "X2",
    title: "cancel / after_response",
    kind: "choice",
    requirements: ["F1", "F2"],
    first: cancel,
    second: { label: "after_response starts", events: ["reply", "stream.end"], shows: "hook" },
    required: [
      required("cancel first skips the hook", noHookAfterCancel),
      required("hook first finishes and is used", responseStands),
    ],
  },
  {
    id: "X3",
    title: "close / settlement",
    kind: "choice",
    requirements: ["K1"],
    first: close,
    second: settleEnqueued,
    required: [
      required("close first: abandoned, effect_pending", noSettlementAfterClose),
      required("settlement first: stands", responseStands),
    ],
  },
  {
    id: "X4",
    title: "close / queued appends",
    kind: "choice",
    requirements: ["K1"],
    first: close,
    second: landFrame,
    required: both("what was handed over may land, the rest is dropped; a prefix restores", prefixRestores),
  },
  {
    id: "X5",
    title: "append failure / stream end",
    kind: "choice",
    requirements: ["C6", "K2"],
    first: { label: "append fails", events: ["fail"], commits: ["frame"] },
    second: { label: "stream ends", events: ["stream.end"] },
    required: both("fault before after_response; nothing settles", faultBeforeHook),
  },
  {
    id: "X6",
    title: "external finalization / settlement",
    kind: "choice",
    requirements: ["K3"],
    first: finalize,
    second: settleEnqueued,
    required: both("exactly one terminal transaction; the loser writes nothing", oneTerminal),
  },
  {
    id: "X7",
    title: "activation / activation",
    kind: "choice",
    requirements: ["O3"],
    first: { label: "activation", events: ["activate", "permit"], states: waitingForActivation },
    second: { label: "another activation", events: ["activate"], states: waitingForActivation },
    required: both("one drive", oneDrive),
  },
  {
    id: "X8",
    title: "cancel / recovery settlement",
    kind: "choice",
    requirements: ["F3", "E7"],
    first: cancel,
    second: recoveryEnqueued,
    required: [
      required("cancel first: aborted, no retry", cancelWins),
      required("recovery first: it stands", recoveryOnceWhole),
    ],
  },
  {
    id: "X9",
    title: "external finalization / after_response",
    kind: "choice",
    requirements: ["K3"],
    first: finalize,
    second: { label: "hook returns", events: ["hook.release"] },
    required: both("its value is dropped; nothing is written after the finalization", nothingAfterFinalization),
  },
  {
    id: "X10",
    title: "external finalization / recovery settlement",
    kind: "choice",
    requirements: ["K3", "E5"],
    first: finalize,
    second: recoveryEnqueued,
    required: both("exactly one terminal outcome; no response after finalization", oneTerminal),
  },
  {
    id: "X11",
    title: "external finalization / retry wake-up",
    kind: "choice",
    requirements: ["K3", "O4"],
    first: finalize,
    second: { label: "retry wakes", events: ["tick"], states: ["retry_wait.waiting"] },
    required: both("no request after finalization", noRequestAfterFinalization),
  },
  {
    id: "X12",
    title: "cancel / intent",
    kind: "choice",
    requirements: ["F1", "F4"],
    first: cancel,
    second: { label: "intent", events: ["activate", "permit", "tick", "land"], enqueues: "intent" },
    required: [
      required("cancel first: no request", noRequestAfterCancel),
      required("intent first: no request is made, then a synthetic aborted response", cancelWins),
    ],
  },
  {
    id: "X13",
    title: "close / recovery",
    kind: "choice",
    requirements: ["K1", "E9"],
    first: close,
    second: { label: "recovery lands", events: ["land"], commits: ["recover"] },
    required: both("either nothing or the whole synthetic settlement; reopen repeats it safely", recoveryOnceWhole),
  },
  {
    id: "X14",
    title: "lost reply / next action",
    kind: "choice",
    requirements: ["K2", "E9"],
    quietOrders: [1],
    first: {
      label: "the reply is lost",
      events: ["lose_reply"],
      commits: ["intent", "frame", "settle", "cancel", "terminal"],
    },
    second: {
      label: "the reply arrives",
      events: ["reply"],
      commits: ["intent", "frame", "settle", "cancel", "terminal"],
    },
    required: both("what landed stands once, nothing is done twice", nothingTwice),
  },
  {
    id: "X15",
    title: "cancel / retry wake-up",
    kind: "choice",
    requirements: ["F1", "F4", "O4"],
    first: cancel,
    second: { label: "retry is due", events: ["tick"] },
    required: [
      required(
        "no request: the operation ends aborted, sleeping or due",
        (run) => noRequestAfterCancel(run) ?? cancelWins(run),
      ),
      required("from its landing on the cancel wins: what settles is aborted, and no request follows", cancelWins),
    ],
  },
  {
    id: "X16",
    title: "snapshot of a live stream / next frame",
    kind: "choice",
    requirements: ["I1", "I5"],
    first: { label: "snapshot", events: ["snapshot"] },
    second: { label: "next update", events: ["stream.update"] },
    required: both("the answer holds the newest partial of its own moment", snapshotsAreNewest),
  },
  {
    id: "X17",
    title: "cancel / tool result",
    kind: "choice",
    requirements: ["F4", "Q1"],
    first: cancel,
    second: toolReturns,
    required: [
      required("cancel first: unfinished calls get aborted results", unfinishedAborted),
      required("result first: it stands", resultStands),
    ],
  },
  {
    id: "X18",
    title: "external finalization / tool result",
    kind: "choice",
    requirements: ["K3", "Q1"],
    first: finalize,
    second: toolReturns,
    required: both("nothing is written after the finalization", nothingAfterFinalization),
  },
  {
    id: "X19",
    title: "process loss / tool results",
    kind: "choice",
    requirements: ["Q1", "N1"],
    first: { label: "process loss", events: ["crash"] },
    second: { label: "mark or result lands", events: ["land"], commits: ["mark", "result"] },
    required: both("the restored plan has exactly the results that landed", resultsRestore),
  },
  {
    id: "X20",
    title: "close / held listener",
    kind: "choice",
    requirements: ["K1"],
    first: close,
    second: { label: "listener returns", events: ["listener.release"] },
    required: both("close settles without it; nothing is delivered afterwards", closeSettlesAlone),
  },
];
