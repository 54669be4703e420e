/** What the application calls, in every place with or without an open operation. */
import { type Effect, isOutsider } from "../../vocabulary.ts";
import {
  type Context,
  event,
  fresh,
  mayAnnounce,
  maySettle,
  onLine,
  operationEnds,
  pullSignal,
  push,
  settles,
} from "../rules/context.ts";
import {
  attach,
  cancelled,
  enqueue,
  finalizing,
  lineIsEmpty,
  replies,
  restingLine,
  roomOnLine,
  shift,
  show,
  uncancelled,
  update,
  when,
} from "../rules/words.ts";

/** Calls on a lane without an open operation are refused. */
export const refusals = {
  activate: { actions: show(() => [settles("activate", "refused")]) },
  cancel: { actions: show(() => [settles("cancel", "refused")]) },
  finalize: { actions: show(() => [settles("finalize", "refused")]) },
};

/** A listener that has not returned would hold back the events of the next operation: it is released first. */
export const acceptAgain = {
  target: "#operation.up.accepting",
  guard: when((c) => c.parked !== "listener"),
  actions: update((c) => ({ ...fresh, line: push(c, "accept") })),
};

/** What the stopped drive left waiting is answered late; the answer has no effect. */
export const late = { guard: when((c) => c.parked !== null), actions: update(() => ({ parked: null })) };
/** A released listener lets the announcement through that stood behind it. */
export const lateWith = (name: "fault" | "operation_end") => ({
  ...late,
  actions: [show((c) => (c.parked === "listener" ? [event(name)] : [])), update(() => ({ parked: null }))],
});

/** A second activation joins the drive or is refused; nothing else changes (O3, X7). */
export const joins = { guard: when((c) => c.drive), actions: show(() => []) };

const cancelCall = {
  guard: when(uncancelled, roomOnLine),
  // Cancellation wins classification, so how the stream ended no longer matters: one state instead of five (D5).
  actions: update((c) => ({
    line: push(c, "cancel"),
    cancel: "called",
    end: c.end !== null && !onLine(c, "settle") ? "stop" : c.end,
  })),
};
const cancelAgain = {
  guard: when(cancelled, lineIsEmpty),
  actions: show(() => [settles("cancel", "ok")]),
};
/** A cancel that is called while another is under way joins it: both are told of one landing (F5). */
const cancelJoins = { guard: when((c) => c.cancel === "called"), actions: show(() => []) };
/** A listener that has not returned may hold back the promise of a cancel, but never its signal (F1). */
const cancelSettles = (c: Context): Effect => (c.parked === "listener" ? maySettle : settles)("cancel", "ok");
const cancelReply = {
  guard: when(replies("cancel")),
  actions: [
    show((c) => [
      cancelSettles(c),
      ...pullSignal(c),
      // The stream has ended meanwhile: its end may be announced only now that the cancel is known to have landed.
      ...(onLine(c, "settle") ? [mayAnnounce("message_end")] : []),
    ]),
    update((c) => ({ ...shift(c), cancel: "replied" })),
  ],
};
/**
 * A cancel that names an operation that is not open is refused at once, and nothing else changes (Q7). What it could leave
 * behind shows without an outsider on the line, and whatever the length of the line.
 */
export const staleCancel = {
  guard: when(restingLine, (c) => c.line.length <= 1 && !c.line.some(({ commit }) => isOutsider(commit))),
  actions: show(() => [settles("cancel", "refused")]),
};
const finalizeCall = { guard: when(roomOnLine), actions: update(enqueue("finalize")) };
/** A second finalization is refused, at once or at its turn behind the first (F5). */
const secondIsRefused = maySettle("finalize", "refused");
const finalizeAgain = { guard: when(finalizing), actions: show(() => [secondIsRefused]) };
/** What the outside parties are told when a finalization is replied. */
export const finalizersLearn = [settles("finalize", "ok"), secondIsRefused] as const;
/** The reply of a finalization ends the operation (K3). */
export const finalizeReply = {
  target: "#operation.up.finalized",
  guard: when(replies("finalize")),
  actions: [
    show((c) => [...operationEnds(c, "finalized"), ...finalizersLearn, ...pullSignal(c)]),
    update((c) => ({ ...fresh, parked: c.parked, due: false })),
  ],
};

/** Replies that no place has to wait for. */
export const repliesAnywhere = [
  { guard: when(replies("frame")), actions: update(shift) },
  cancelReply,
  finalizeReply,
] as const;

/** What every place with an open operation allows. */
export const open = {
  cancel: [cancelCall, cancelAgain, cancelJoins],
  finalize: [finalizeCall, finalizeAgain],
  accept: { guard: when(lineIsEmpty), actions: show(() => [settles("accept", "refused")]) },
};

/** An activation that is called while a finalization is on the line comes too late, whatever it starts (K3). */
export const contest = { target: "#operation.up.contested", guard: when(finalizing), actions: update(attach) };
