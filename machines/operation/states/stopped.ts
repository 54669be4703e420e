/** Processes that have stopped: crashed, closed, faulted. */
import { fresh, head, outsiderMayLearn, settles } from "../context.ts";
import { late, lateWith } from "../transitions/calls.ts";
import { finalizeOffline, frameTampering } from "../transitions/outside.ts";
import { restore, storageFails } from "../transitions/storage.ts";
import { lineIsEmpty, not, operation, shift, show, update, when } from "../words.ts";

export const crashed = operation.createStateConfig({
  description: "The process is gone; what had not landed is lost.",
  on: { reopen: restore, finalize: finalizeOffline, ...frameTampering },
});

export const closed = operation.createStateConfig({
  on: {
    reply: {
      guard: when((c) => head(c)?.landed === true),
      actions: [
        show((c) => [outsiderMayLearn, ...(c.line.length === 1 ? [settles("close", "ok")] : [])]),
        update(shift),
      ],
    },
    fail: {
      guard: storageFails(false),
      actions: [
        show(() => [outsiderMayLearn, settles("close", "ok")]),
        update((c) => ({ ...fresh, parked: c.parked })),
      ],
    },
    lose_reply: {
      guard: storageFails(true),
      actions: [
        show(() => [outsiderMayLearn, settles("close", "ok")]),
        update((c) => ({ ...fresh, parked: c.parked })),
      ],
    },
    crash: { target: "crashed", guard: when(not(lineIsEmpty)), actions: update(() => ({ ...fresh })) },
    reopen: restore.map((branch) => ({
      ...branch,
      guard: when(lineIsEmpty, (c, e) => branch.guard?.({ context: c, event: e }) ?? true),
    })),
    finalize: finalizeOffline,
    late,
  },
});

export const faulted = operation.createStateConfig({
  on: {
    activate: { guard: when(lineIsEmpty), actions: show(() => [settles("activate", "fault")]) },
    reply: {
      guard: when((c) => head(c)?.landed === true),
      actions: [show(() => [outsiderMayLearn]), update(shift)],
    },
    fail: {
      guard: storageFails(false),
      actions: [show(() => [outsiderMayLearn]), update(() => ({ line: [] }))],
    },
    lose_reply: {
      guard: storageFails(true),
      actions: [show(() => [outsiderMayLearn]), update(() => ({ line: [] }))],
    },
    crash: { target: "crashed", guard: when(not(lineIsEmpty)), actions: update(() => ({ ...fresh })) },
    reopen: restore.map((branch) => ({
      ...branch,
      guard: when(lineIsEmpty, (c, e) => branch.guard?.({ context: c, event: e }) ?? true),
    })),
    late: lateWith("fault"),
  },
});
