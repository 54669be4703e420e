/** Where the drive goes when the transaction that it awaited is replied. */
import type { Effect } from "../../vocabulary.ts";
import { type Context, event, fresh, operationEnds, settles } from "../context.ts";
import {
  at,
  due,
  endOperation,
  finalizing,
  replies,
  shift,
  shiftAndEnqueue,
  show,
  uncancelled,
  update,
  when,
} from "../words.ts";

/** On the reply of a cancel, a drive that has nothing to await ends the operation. */
export const reconcile = {
  target: "#operation.up.cancelled.committing",
  guard: when(replies("cancel")),
  actions: [
    show(() => [settles("cancel", "ok")]),
    update((c) => ({ ...shiftAndEnqueue("terminal")(c, { type: "reply" }), cancel: "replied" })),
  ],
};
export const abortedResults: Effect = { kind: "tool_results", aborted: true };
export const resultsAborted = (c: Context): Partial<Context> => ({ durable: { ...c.durable, at: "checkpoint" } });
export const reconcileTools = {
  ...reconcile,
  actions: [
    show(() => [settles("cancel", "ok"), abortedResults]),
    update((c) => ({
      ...resultsAborted(c),
      ...shiftAndEnqueue("terminal")(c, { type: "reply" }),
      cancel: "replied",
    })),
  ],
};

/** The synthetic message_start and message_end of a recovery may come before or after its commit (I4 orders them). */
const settlementEvents = (recovery: boolean): readonly Effect[] =>
  recovery
    ? [{ kind: "event", name: "entry_added", recovery: true }, event("usage")]
    : [event("entry_added"), event("usage")];

/** Where the drive goes when its settlement or recovery is replied: D5 and E7, read from what has become durable. */
export const settlementReply = (commit: "settle" | "recover") => {
  const replied = when(replies(commit));
  const and = (...tests: ((c: Context) => boolean)[]) => when(replies(commit), ...tests);
  const shown = show(() => settlementEvents(commit === "recover"));
  return [
    {
      target: "#operation.up.settled",
      guard: and(at("none")),
      actions: [
        show((c) => [...settlementEvents(commit === "recover"), ...operationEnds(c, "failed")]),
        update(endOperation),
      ],
    },
    {
      target: "#operation.up.cancelled.committing",
      guard: and(at("checkpoint"), (c) => c.durable.control === "cancelled"),
      actions: [shown, update(shiftAndEnqueue("terminal"))],
    },
    {
      target: "#operation.up.checkpoint.finishing",
      guard: and(at("checkpoint")),
      actions: [shown, update(shiftAndEnqueue("terminal"))],
    },
    {
      target: "#operation.up.effect_pending",
      guard: and(at("retry_wait"), due, uncancelled),
      actions: [shown, update(shiftAndEnqueue("intent"))],
    },
    { target: "#operation.up.retry_wait.waiting", guard: and(at("retry_wait")), actions: [shown, update(shift)] },
    {
      target: "#operation.up.contested",
      guard: and(at("tools"), finalizing),
      actions: [
        show(() => [...settlementEvents(false), { kind: "tools", optional: true }]),
        update((c) => ({ ...shift(c, { type: "reply" }), parked: null })),
      ],
    },
    {
      target: "#operation.up.tools.running",
      guard: and(at("tools"), uncancelled),
      actions: [
        show(() => [...settlementEvents(false), { kind: "tools" }]),
        update((c) => ({ ...shift(c, { type: "reply" }), parked: "tools" })),
      ],
    },
    { target: "#operation.up.tools.withheld", guard: replied, actions: [shown, update(shift)] },
  ];
};

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
