/** Where the drive goes when the transaction that it awaited is replied. */
import type { Effect } from "../../vocabulary.ts";
import { type Context, fresh, operationEnds, remoteCancel, settles } from "../rules/context.ts";
import { endOperation, replies, shiftAndEnqueue, show, update, when } from "../rules/words.ts";

/** On the reply of a cancel, a drive that has nothing to await ends the operation. */
export const reconcile = {
  target: "#operation.up.cancelled.committing",
  guard: when(replies("cancel")),
  actions: [
    show((c) => [settles("cancel", "ok"), ...remoteCancel(c)]),
    update((c) => ({ ...shiftAndEnqueue("terminal")(c), cancel: "replied" })),
  ],
};
/** Each call of the plan gets an error as its result. */
export const failedResults: Effect = { kind: "tool_results", failed: true };
/** Each unfinished call has an aborted result; the operation only has to end (F4). */
export const resultsAborted = (c: Context): Partial<Context> => ({
  durable: { ...c.durable, at: "checkpoint", plan: null },
});
/** Every call has its result; the next request follows. */
export const resultsGiven = (c: Context): Partial<Context> => ({
  durable: { ...c.durable, at: "ready", plan: null },
});
/** The response was cut off: its calls are planned and none is executed (D5). */
export const refuses = (c: Context): boolean => c.durable.plan === "refuse";
/** The same where a tool plan is durable: its calls get aborted results (F4). */
export const reconcileTools = {
  ...reconcile,
  actions: [
    show(() => [settles("cancel", "ok"), failedResults]),
    update((c) => ({
      ...resultsAborted(c),
      ...shiftAndEnqueue("terminal")(c),
      cancel: "replied",
    })),
  ],
};

/** The reply of the terminal transaction ends the operation. */
export const terminalReply = [
  {
    target: "#operation.up.cancelled.done",
    guard: when(replies("terminal"), (c) => c.durable.outcome === "aborted"),
    actions: [show((c) => operationEnds(c, "aborted")), update((c) => ({ ...fresh, parked: c.parked }))],
  },
  {
    target: "#operation.up.settled",
    guard: when(replies("terminal")),
    actions: [show((c) => operationEnds(c, "completed")), update(endOperation)],
  },
];
