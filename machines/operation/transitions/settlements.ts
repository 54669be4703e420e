/** Where the drive goes when the settlement of its response is replied: D5 and E7, read from what has become durable. */
import type { Effect, LifecycleEvent } from "../../vocabulary.ts";
import { type Context, event, eventOfPoll, maySettle, operationEnds, settles } from "../rules/context.ts";
import {
  at,
  cancelWaits,
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
} from "../rules/words.ts";
import { allDone, marksNext, refusedResults, refuses } from "./tools.ts";

type Told = (name: LifecycleEvent) => Effect;

/** The synthetic message_start and message_end have no step: they may come before or after the commit (I4). */
const eventOfRecovery: Told = (name) => ({ kind: "event", name, recovery: true });

const after = (commit: "settle" | "recover", told: Told) => {
  const events = [told("entry_added"), event("usage")];
  const guard = (...tests: ((c: Context) => boolean)[]) => when(replies(commit), ...tests);
  return { events, guard, shown: show(() => events) };
};
type After = ReturnType<typeof after>;

/** The settlement was the terminal transaction too, or an outcome that only the operation's own end follows. */
const ends = ({ events, guard, shown }: After) => [
  {
    target: "#operation.up.settled",
    guard: guard(at("none")),
    actions: [show((c) => [...events, ...operationEnds(c, "failed")]), update(endOperation)],
  },
  {
    target: "#operation.up.cancelled.committing",
    guard: guard(at("checkpoint"), (c) => c.durable.control === "cancelled"),
    actions: [shown, update(shiftAndEnqueue("terminal"))],
  },
];

const finishes = ({ guard, shown }: After) => [
  {
    target: "#operation.up.checkpoint.finishing",
    guard: guard(at("checkpoint")),
    actions: [shown, update(shiftAndEnqueue("terminal"))],
  },
];

const retries = ({ guard, shown }: After) => [
  {
    target: "#operation.up.effect_pending",
    guard: guard(at("retry_wait"), due, uncancelled),
    actions: [shown, update(shiftAndEnqueue("intent"))],
  },
  { target: "#operation.up.retry_wait.waiting", guard: guard(at("retry_wait")), actions: [shown, update(shift)] },
];

const suspends = ({ events, guard, shown }: After) => [
  {
    target: "#operation.up.deferred.reconciling",
    guard: guard(at("deferred.suspended"), cancelWaits),
    actions: [shown, update(shift)],
  },
  {
    target: "#operation.up.deferred.contested",
    guard: guard(at("deferred.suspended"), finalizing),
    actions: [
      show(() => [...events, maySettle("activate", "suspended")]),
      update((c) => ({ ...shift(c), told: true })),
    ],
  },
  {
    target: "#operation.up.deferred.suspended",
    guard: guard(at("deferred.suspended")),
    actions: [
      show(() => [...events, settles("activate", "suspended")]),
      update((c) => ({ ...shift(c), drive: false })),
    ],
  },
];

const plansTools = ({ events, guard, shown }: After) => [
  {
    target: "#operation.up.contested",
    guard: guard(at("tools"), finalizing),
    actions: [shown, update((c) => ({ ...shift(c), parked: null }))],
  },
  {
    target: "#operation.up.effect_pending",
    guard: guard(at("tools"), refuses, uncancelled),
    actions: [
      show((c) => [...events, ...refusedResults(c)]),
      update((c) => ({ ...allDone(c), ...shiftAndEnqueue("intent")(c) })),
    ],
  },
  {
    target: "#operation.up.tools.driven",
    guard: guard(at("tools"), uncancelled),
    actions: [shown, update((c) => marksNext({ ...c, ...shift(c) }))],
  },
  { target: "#operation.up.tools.driven", guard: guard(at("tools")), actions: [shown, update(shift)] },
];

const attempt = after("settle", event);
const poll = after("settle", eventOfPoll);
const recovery = after("recover", eventOfRecovery);

/** A poll is never retried, and an interrupted response neither finishes, suspends nor plans tools (D5, N10). */
export const settlementReplies = {
  request: [...ends(attempt), ...finishes(attempt), ...retries(attempt), ...suspends(attempt), ...plansTools(attempt)],
  poll: [...ends(poll), ...finishes(poll), ...suspends(poll), ...plansTools(poll)],
  recovery: [...ends(recovery), ...retries(recovery)],
};
