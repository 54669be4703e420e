/** Where the drive goes when the transaction that it awaited is replied. */
import { fresh, operationEnds, remoteCancel, settles } from "../rules/context.ts";
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
