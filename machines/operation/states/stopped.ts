/** Processes that have stopped: crashed, closed, faulted. */
import type { Call, Effect } from "../../vocabulary.ts";
import { type Context, fresh, head, outsiderMayLearn, settles } from "../rules/context.ts";
import { type Change, lineIsEmpty, not, operation, shift, show, update, waitingFor, when } from "../rules/words.ts";
import { late, lateWith } from "../transitions/calls.ts";
import { finalizeOffline, frameTampering } from "../transitions/outside.ts";
import { restore, storageFails } from "../transitions/storage.ts";

/** No process holds the session. */
export const crashed = operation.createStateConfig({
  description: "The process is gone; what had not landed is lost.",
  on: { reopen: restore, finalize: finalizeOffline, ...frameTampering },
});

/** What was handed to storage is still answered; `told` says what the application learns from it. */
const storageAnswers = (told: (c: Context, isLast: boolean) => readonly Effect[], failed: Change) => {
  const fails = (lost: boolean) => ({
    guard: storageFails(lost),
    actions: [show((c) => told(c, true)), update(failed)],
  });
  return {
    reply: {
      guard: when((c) => head(c)?.landed === true),
      actions: [show((c) => told(c, c.line.length === 1)), update(shift)],
    },
    fail: fails(false),
    lose_reply: fails(true),
    crash: { target: "crashed", guard: when(not(lineIsEmpty)), actions: update(() => ({ ...fresh })) },
    reopen: restore.map((branch) => ({
      ...branch,
      guard: when(lineIsEmpty, (c, e) => branch.guard?.({ context: c, event: e }) ?? true),
    })),
  };
};

/** Whatever is called after the stop is rejected with its reason (K1, K2). */
const laterCalls = (outcome: "closed" | "fault") => {
  const rejected = (call: Call, ...tests: ((c: Context) => boolean)[]) => ({
    guard: when(lineIsEmpty, ...tests),
    actions: show(() => [settles(call, outcome)]),
  });
  return {
    // Before a new accept, a listener, hook or tool that the old operation left waiting must be released (`late`).
    accept: rejected("accept", waitingFor(null)),
    activate: rejected("activate"),
    cancel: rejected("cancel"),
  };
};

/** A close that is called again joins the first (F5). */
const closeAgain = {
  guard: when((_, e) => "kept" in e && e.kept === "overlapping"),
  actions: show((c) => (lineIsEmpty(c) ? [settles("close", "ok")] : [])),
};

/** The application has closed the session (K1). */
export const closed = operation.createStateConfig({
  on: {
    ...storageAnswers(
      (_, isLast) => [outsiderMayLearn, ...(isLast ? [settles("close", "ok")] : [])],
      (c) => ({ ...fresh, parked: c.parked }),
    ),
    ...laterCalls("closed"),
    close: closeAgain,
    finalize: finalizeOffline,
    late,
  },
});

/** The harness has faulted (K2). */
export const faulted = operation.createStateConfig({
  on: {
    ...storageAnswers(
      () => [outsiderMayLearn],
      () => ({ line: [] }),
    ),
    ...laterCalls("fault"),
    late: lateWith("fault"),
  },
});
