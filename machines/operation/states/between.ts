/** Places between requests, driven or waiting for an activation. */
import { fresh, push, settles } from "../rules/context.ts";
import {
  attach,
  cancelled,
  cancelWaits,
  due,
  lineIsEmpty,
  not,
  operation,
  show,
  uncancelled,
  update,
  when,
} from "../rules/words.ts";
import { contest, finalizeReply, finalizersLearn, joins, open } from "../transitions/calls.ts";
import { reconcile, terminalReply } from "../transitions/replies.ts";

/** An activation after the reply of a cancel only ends the operation (F4). */
const endsCancelled = {
  target: "#operation.up.cancelled.committing",
  guard: when(cancelled),
  actions: update((c) => ({ drive: true, line: push(c, "terminal") })),
};

/** Accepted, and no request under way. */
export const ready = operation.createStateConfig({
  description: "Accepted; no request of it is under way.",
  initial: "parked",
  on: open,
  states: {
    parked: {
      on: {
        activate: [
          contest,
          endsCancelled,
          { target: "driven", guard: when(cancelWaits), actions: update(attach) },
          {
            target: "#operation.up.effect_pending",
            actions: update((c) => ({ drive: true, line: push(c, "intent") })),
          },
        ],
      },
    },
    driven: { on: { activate: joins, reply: reconcile } },
  },
});

/** Who does not want to wait is told when the retry is due, whoever else waits (O4). */
const doesNotWait = {
  guard: when(uncancelled, not(due), lineIsEmpty),
  actions: show(() => [settles("activate", "waiting")]),
};

/** An attempt has failed, and the next one waits for its time (D5, E7). */
export const retryWait = operation.createStateConfig({
  initial: "parked",
  on: open,
  states: {
    parked: {
      on: {
        activate: [
          contest,
          endsCancelled,
          {
            target: "#operation.up.effect_pending",
            guard: when(due, uncancelled),
            actions: update((c) => ({ drive: true, line: push(c, "intent") })),
          },
          { target: "waiting", actions: update(attach) },
        ],
        "activate.nowait": doesNotWait,
      },
    },
    waiting: {
      on: {
        activate: joins,
        "activate.nowait": doesNotWait,
        tick: {
          target: "#operation.up.effect_pending",
          guard: when(not(due), uncancelled),
          actions: update((c) => ({ due: true, line: push(c, "intent") })),
        },
        reply: reconcile,
      },
    },
  },
});

/** The last response stands, and the operation only has to end. */
export const checkpoint = operation.createStateConfig({
  initial: "parked",
  on: open,
  states: {
    parked: {
      on: {
        activate: [
          contest,
          endsCancelled,
          {
            target: "finishing",
            actions: update((c) => ({ drive: true, line: push(c, "terminal") })),
          },
        ],
      },
    },
    finishing: { on: { activate: joins, reply: terminalReply } },
  },
});

/** An activation stands behind a finalization (K3). */
export const contested = operation.createStateConfig({
  description: "A finalization is on the line ahead of all that this activation could write.",
  on: {
    ...open,
    activate: joins,
    reply: {
      ...finalizeReply,
      actions: [
        show((c) => [
          { kind: "event", name: "operation_end", optional: true },
          { kind: "call", call: "activate", outcome: "finalized", or: ["refused"] },
          ...(cancelWaits(c) ? [settles("cancel", "refused")] : []),
          ...finalizersLearn,
        ]),
        update(() => ({ ...fresh, due: false })),
      ],
    },
  },
});
