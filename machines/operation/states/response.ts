/** The phases of one response, from its intent to its settlement: the same for an attempt and for a poll (C, D, G1). */
import { type StreamEnd, streamEndings } from "../../vocabulary.ts";
import { type Context, event, eventOfPoll, isPoll, maySettle, push, remoteCancel, settles } from "../rules/context.ts";
import {
  cancelled,
  cancelWaits,
  enqueue,
  framesPending,
  not,
  operation,
  reading,
  replies,
  shift,
  shiftAndEnqueue,
  show,
  update,
  waitingFor,
  when,
} from "../rules/words.ts";
import { settlementReplies } from "../transitions/settlements.ts";
import { defect } from "../transitions/storage.ts";

/** How the response is asked for: afresh, or by a poll for a deferred one. */
export type Asked = "request" | "poll";

/** The intent is on the line; its reply is the earliest moment for the request (C7). */
export const requesting = (sent: Asked, description: string) =>
  operation.createStateConfig({
    description,
    on: {
      reply: [
        {
          target: "streaming",
          guard: when(replies("intent"), not(cancelWaits)),
          actions: [show(() => [{ kind: sent }]), update((c) => ({ ...shift(c), parked: "stream" }))],
        },
        { target: "withheld", guard: when(replies("intent")), actions: update(shift) },
      ],
    },
  });

const withheld = operation.createStateConfig({
  description: "A cancel was called before the request: none is made (F4).",
  on: {
    reply: {
      target: "#operation.up.recovering",
      guard: when(replies("cancel")),
      actions: [
        show((c) => [settles("cancel", "ok"), ...remoteCancel(c)]),
        update((c) => ({ ...shiftAndEnqueue("recover")(c), cancel: "replied" })),
      ],
    },
  },
});

const streaming = (told: typeof event) =>
  operation.createStateConfig({
    description: "The provider loop: one event, at most one frame, one awaited delivery at a time (C1).",
    on: {
      "stream.start": {
        guard: when(waitingFor("stream"), (c) => c.encoded === 0),
        actions: [
          show(() => [told("message_start")]),
          update((c) => ({ line: push(c, "frame"), encoded: 1, parked: "listener" })),
        ],
      },
      "stream.update": {
        guard: when(waitingFor("stream"), (c) => c.encoded > 0 && c.encoded < framesOf(c)),
        actions: [
          show(() => [told("message_update")]),
          update((c) => ({ line: push(c, "frame"), encoded: c.encoded + 1, parked: "listener" })),
        ],
      },
      "stream.covered": {
        guard: when(waitingFor("stream"), (c) => c.encoded > 1),
        actions: [show(() => [told("message_update")]), update(() => ({ parked: "listener" }))],
      },
      "stream.end": {
        target: "awaiting_writes",
        guard: when(
          waitingFor("stream"),
          reading("stream.end", (c, { end }) => mayEnd(c, end)),
        ),
        actions: update(
          reading("stream.end", (c, { end }) => ({
            parked: null,
            encoded: 0,
            end: c.cancel === "none" ? settlesLike(end) : "stop",
          })),
        ),
      },
      "stream.defect": defect,
      "listener.release": {
        guard: when(waitingFor("listener")),
        actions: [show((c) => (cancelled(c) ? [maySettle("cancel", "ok")] : [])), update(() => ({ parked: "stream" }))],
      },
    },
  });

const awaitingWrites = (told: typeof event) =>
  operation.createStateConfig({
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
          show((c) => [cancelWaits(c) ? { ...told("message_end"), optional: true } : told("message_end")]),
          update(enqueue("settle")),
        ],
      },
    ],
  });

const afterResponse = (told: typeof event) =>
  operation.createStateConfig({
    on: {
      "hook.release": {
        target: "settling",
        actions: [
          show(() => [told("message_end")]),
          update((c) => ({ line: push(c, "settle"), parked: null, hooked: true })),
        ],
      },
    },
  });

/** Everything behind the request. */
export const streamAndSettlement = (asked: Asked) => {
  const told = asked === "poll" ? eventOfPoll : event;
  return {
    withheld,
    streaming: streaming(told),
    awaiting_writes: awaitingWrites(told),
    after_response: afterResponse(told),
    settling: operation.createStateConfig({ on: { reply: settlementReplies[asked] } }),
  };
};

function framesOf(c: Context): number {
  if (isPoll(c)) return c.bounds.framesOfPolls;
  return c.durable.attempt > 1 ? c.bounds.framesOfRetries : c.bounds.frames + c.bounds.framesAlone;
}

function endsOf(c: Context): readonly StreamEnd[] {
  if (isPoll(c)) return c.bounds.endsOfPolls;
  return c.durable.attempt > 1 ? c.bounds.endsOfRetries : c.bounds.ends;
}

/** Which ends the provider may give: an error may come before the start, `aborted` only after the signal (B3, D5). */
function mayEnd(c: Context, end: StreamEnd): boolean {
  if (!endsOf(c).includes(end) || (c.encoded > 1 && !c.bounds.endsOfLongStreams.includes(end))) return false;
  // A call is open only behind the frame of its start.
  if (end === "openCall") return c.cancel === "none" && c.encoded > 1;
  if (c.cancel === "none") return end !== "aborted" && (c.encoded > 0 || streamEndings[end].beforeStart);
  if (end === "aborted") return c.cancel === "replied";
  // After a cancel every answer settles as aborted; a handle must not stay in it (D5).
  return c.encoded > 0 ? end === "stop" || end === "deferred" : end === "terminal";
}

/** A handle of another model, and tool use without a call, settle as any failure does, and an open call as an interruption: fewer states (D5, Q5). */
function settlesLike(end: StreamEnd): StreamEnd {
  if (end === "openCall") return "retryable";
  return end === "mismatched" || end === "noCalls" ? "terminal" : end;
}
