/**
 * Polling for a deferred response (section G). The chart is a machine of its own (`machine.ts`), and a part of the
 * operation machine: it enters with a suspended response, and leaves by the settlement of a poll, a cancel or a finalization.
 */
import { fresh, mayAnnounce, maySettle, push, remoteCancel, settles } from "../rules/context.ts";
import { attach, cancelled, cancelWaits, operation, show, update, when } from "../rules/words.ts";
import { requesting, streamAndSettlement } from "../states/response.ts";
import { contest, finalizeReply, finalizersLearn, joins, open } from "../transitions/calls.ts";
import { reconcile } from "../transitions/replies.ts";

/** Without a permit nothing is asked and nothing changes (G2). */
const staysSuspended = { actions: show(() => [settles("activate", "suspended")]) };

const cancelledWhileSuspended = {
  target: "#operation.up.cancelled.committing",
  guard: when(cancelled),
  actions: [show(remoteCancel), update((c) => ({ drive: true, line: push(c, "terminal") }))],
} as const;

/** A restored cancel settles the unknown poll with its committed partial (G4, F3). */
const cancelledWhileUnknown = {
  target: "#operation.up.recovering",
  guard: when(cancelled),
  actions: [show(remoteCancel), update((c) => ({ drive: true, line: push(c, "recover") }))],
} as const;

/** What comes first to any activation of a suspended operation: a finalization, then a cancel. */
const outsidersWhileSuspended = [
  contest,
  cancelledWhileSuspended,
  { target: "reconciling", guard: when(cancelWaits), actions: update(attach) },
] as const;

/** The same where a poll of unknown outcome was restored. */
const outsidersWhileUnknown = [
  contest,
  cancelledWhileUnknown,
  { target: "polling.withheld", guard: when(cancelWaits), actions: update(attach) },
] as const;

const suspended = operation.createStateConfig({
  description: "The provider has deferred its answer; the next poll waits for an activation with a permit.",
  on: {
    activate: [...outsidersWhileSuspended, staysSuspended],
    permit: [
      ...outsidersWhileSuspended,
      {
        target: "polling.requesting",
        guard: when((c) => c.durable.poll < c.bounds.polls),
        actions: update((c) => ({ drive: true, line: push(c, "intent") })),
      },
    ],
  },
});

const unknown = operation.createStateConfig({
  description: "Restored with a poll that nobody saw the end of; without a permit it stays (G2).",
  on: {
    activate: [...outsidersWhileUnknown, staysSuspended],
    permit: [
      ...outsidersWhileUnknown,
      { target: "polling.replacing", actions: update((c) => ({ drive: true, line: push(c, "intent") })) },
    ],
  },
});

const deferredStates = {
  suspended,
  reconciling: operation.createStateConfig({
    description: "A cancel was called before the activation: its reply ends the operation (F4).",
    on: { activate: joins, permit: joins, reply: reconcile },
  }),
  contested: operation.createStateConfig({
    description: "Suspended behind a finalization on the line: the drive may be told of the one or of the other (K3).",
    on: {
      activate: { actions: show(() => []) },
      reply: {
        ...finalizeReply,
        actions: [
          show((c) => [
            mayAnnounce("operation_end"),
            { ...maySettle("activate", "finalized"), or: ["refused"] },
            ...(cancelWaits(c) ? [settles("cancel", "refused")] : []),
            ...finalizersLearn,
          ]),
          update(() => ({ ...fresh, due: false })),
        ],
      },
    },
  }),
  unknown,
  polling: operation.createStateConfig({
    initial: "requesting",
    on: { activate: joins, permit: joins },
    states: {
      requesting: requesting("poll", "The intent of the next poll is on the line; its number is one higher."),
      replacing: requesting("poll", "The intent that replaces an unknown poll: fresh ids, the same number (G3)."),
      ...streamAndSettlement("poll"),
    },
  }),
};

/** The deferred part of the operation machine. */
export const deferred = operation.createStateConfig({
  initial: "suspended",
  on: open,
  states: deferredStates,
});
