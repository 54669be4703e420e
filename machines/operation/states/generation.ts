/** A request and its answer: intent, stream, hook, settlement; and what becomes of it after a crash. */
import { type Context, event, mayAnnounce, maySettle, push, settles } from "../context.ts";
import { contest, joins, open } from "../transitions/calls.ts";
import { settlementReply } from "../transitions/replies.ts";
import { defect } from "../transitions/storage.ts";
import {
  cancelled,
  cancelWaits,
  enqueue,
  framesPending,
  not,
  type OfType,
  operation,
  replies,
  shift,
  shiftAndEnqueue,
  show,
  update,
  waitingFor,
  when,
} from "../words.ts";

export const effectPending = operation.createStateConfig({
  initial: "requesting",
  on: { ...open, activate: joins },
  states: {
    requesting: {
      description: "The intent is on the line; no request was made yet.",
      on: {
        reply: [
          {
            target: "streaming",
            guard: when(replies("intent"), not(cancelWaits)),
            actions: [
              show(() => [{ kind: "request" }]),
              update((c) => ({ ...shift(c, { type: "reply" }), parked: "stream" })),
            ],
          },
          { target: "withheld", guard: when(replies("intent")), actions: update(shift) },
        ],
      },
    },
    withheld: {
      description: "A cancel was called while the intent was queued: no request is made (F4).",
      on: {
        reply: {
          target: "#operation.up.recovering",
          guard: when(replies("cancel")),
          actions: [
            show(() => [settles("cancel", "ok")]),
            update((c) => ({ ...shiftAndEnqueue("recover")(c, { type: "reply" }), cancel: "replied" })),
          ],
        },
      },
    },
    streaming: {
      description: "The provider loop: one event, at most one frame, one awaited delivery at a time (C1).",
      on: {
        "stream.start": {
          guard: when(waitingFor("stream"), (c) => c.encoded === 0),
          actions: [
            show(() => [event("message_start")]),
            update((c) => ({ line: push(c, "frame"), encoded: 1, parked: "listener" })),
          ],
        },
        "stream.update": {
          guard: when(waitingFor("stream"), (c) => c.encoded > 0 && c.encoded < framesOf(c)),
          actions: [
            show(() => [event("message_update")]),
            update((c) => ({ line: push(c, "frame"), encoded: c.encoded + 1, parked: "listener" })),
          ],
        },
        "stream.covered": {
          guard: when(waitingFor("stream"), (c) => c.encoded > 1),
          actions: [show(() => [event("message_update")]), update(() => ({ parked: "listener" }))],
        },
        "stream.end": {
          target: "awaiting_writes",
          guard: when(waitingFor("stream"), (c, e) => mayEnd(c, e as OfType<"stream.end">)),
          actions: update((c, e) => ({
            parked: null,
            encoded: 0,
            end: c.cancel === "none" ? (e as OfType<"stream.end">).end : "stop",
          })),
        },
        "stream.defect": defect,
        "listener.release": {
          guard: when(waitingFor("listener")),
          actions: [
            show((c) => (cancelled(c) ? [maySettle("cancel", "ok")] : [])),
            update(() => ({ parked: "stream" })),
          ],
        },
      },
    },
    awaiting_writes: {
      description: "The stream has ended; its latest frame write has not been replied (C5).",
      always: [
        {
          target: "after_response",
          guard: when(not(framesPending), (c) => c.cancel === "none"),
          actions: [show(() => [{ kind: "hook" }]), update(() => ({ parked: "hook" }))],
        },
        {
          target: "settling",
          guard: when(not(framesPending)),
          actions: [
            show((c) => [cancelWaits(c) ? mayAnnounce("message_end") : event("message_end")]),
            update(enqueue("settle")),
          ],
        },
      ],
    },
    after_response: {
      on: {
        "hook.release": {
          target: "settling",
          actions: [
            show(() => [event("message_end")]),
            update((c) => ({ line: push(c, "settle"), parked: null, hooked: true })),
          ],
        },
      },
    },
    settling: { on: { reply: settlementReply("settle") } },
  },
});

export const suspended = operation.createStateConfig({
  description: "Restored with an orphaned generation; nothing reads its frames until an activation (E1).",
  on: {
    ...open,
    activate: [
      contest,
      {
        target: "recovering",
        actions: update((c) => ({ drive: true, line: push(c, "recover") })),
      },
    ],
  },
});

export const recovering = operation.createStateConfig({
  on: { ...open, activate: joins, reply: settlementReply("recover") },
});

const framesOf = ({ bounds, durable }: Context): number =>
  durable.attempt > 1 ? bounds.framesOfRetries : bounds.frames;

/** Which ends the provider may give: an error may come before the start, `aborted` only after the signal (B3, D5). */
function mayEnd(c: Context, { end }: OfType<"stream.end">): boolean {
  if (!c.bounds.ends.includes(end)) return false;
  const failure = end === "retryable" || end === "terminal";
  if (c.cancel === "none") return end !== "aborted" && (c.encoded > 0 || failure);
  if (end === "aborted") return c.cancel === "replied";
  return c.encoded > 0 ? end === "stop" : end === "terminal";
}
