/** The lane without an open operation, and the way into one and out of one. */
import { maySettle, settles } from "../rules/context.ts";
import { operation, replies, shift, show, update, when } from "../rules/words.ts";
import { acceptAgain, joins, late, lateWith, open, refusals } from "../transitions/calls.ts";
import { terminalReply } from "../transitions/replies.ts";

/** The lane before its first operation. */
export const idle = operation.createStateConfig({
  description: "No operation was ever accepted on the lane.",
  on: { ...refusals, accept: acceptAgain },
});

/** A second accept is refused, at once or at its turn behind the first (F5). */
const secondIsRefused = maySettle("accept", "refused");

/** An accept is on the line. */
export const accepting = operation.createStateConfig({
  on: {
    accept: { actions: show(() => [secondIsRefused]) },
    reply: {
      target: "ready",
      guard: when(replies("accept")),
      actions: [show(() => [settles("accept", "ok"), secondIsRefused]), update(shift)],
    },
  },
});

/** The operation completed or failed. */
export const settled = operation.createStateConfig({ on: { ...refusals, accept: acceptAgain } });

/** The operation ends, or has ended, as aborted. */
export const cancelledLane = operation.createStateConfig({
  initial: "committing",
  states: {
    committing: { on: { ...open, activate: joins, reply: terminalReply, late } },
    done: { on: { ...refusals, accept: acceptAgain, late } },
  },
});

/** An outside party ended the operation (K3). */
export const finalized = operation.createStateConfig({
  on: { ...refusals, accept: acceptAgain, late: lateWith("operation_end") },
});
