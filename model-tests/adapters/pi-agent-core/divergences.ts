/**
 * Where pi-agent-core 0.87.1 and the specification part. Each entry was found by the checker, understood by experiment,
 * and is matched by what was seen, not by the schedule that showed it.
 */
import type { KnownDivergence } from "../known-divergence.ts";

const unnoticed = { action: "reply", state: "finalized" } as const;
const defects = /^stream\.defect (second_start|event_after_end|iterator_throws)$/;

/** A fresh attempt streams. */
const untilStreamEnds = [
  "accept",
  "land",
  "reply",
  "activate",
  "land",
  "reply",
  "stream.start",
  "land",
  "reply",
  "listener.release",
];
/** A fresh response has been deferred and is settled. */
const untilDeferred = [...untilStreamEnds, "stream.end deferred", "hook.release", "land", "reply"];
/** It is polled, and the poll streams. */
const untilPollEnds = ["permit", "land", "reply", "stream.start", "land", "reply", "listener.release"];

export const piDivergences: readonly KnownDivergence[] = [
  {
    id: "finalization-unnoticed",
    requirement: "K3",
    summary:
      "a live drive does not notice that an outside party has ended its operation: it pulls no signal, emits no end, goes on to write frames, responses and a second terminal transaction, and calls the lane busy",
    why: "its lane state in memory is authoritative for it, so every append and settlement after the finalization re-creates what the terminal transaction has deleted: two outcomes for one operation, and an orphaned frame list (C4, N12)",
    matches: [
      { ...unnoticed, requirement: "J1", field: "events", expected: "operation_end", actual: "none" },
      {
        ...unnoticed,
        requirement: "C7",
        field: "commits at the store",
        expected: "none",
        actual: ["frame", "settle", "recover", "terminal", "intent", "cancel"],
      },
      { ...unnoticed, requirement: "K3", field: "signal", expected: "pulled", actual: "not pulled" },
      {
        ...unnoticed,
        requirement: "O2",
        field: "promises settled",
        expected: /^activate: finalized.*finalize: ok$/,
        actual: "finalize: ok",
      },
      {
        ...unnoticed,
        requirement: "O2",
        field: "promises settled",
        expected: /finalize: ok$/,
        actual: "finalize: ok, activate: suspended",
      },
      { ...unnoticed, requirement: "G4", field: "remote cancels", expected: "0", actual: "1" },
      { ...unnoticed, requirement: "D5", field: "durable.at", expected: "none", actual: "ready" },
      { ...unnoticed, requirement: "E6", field: "tools calls", expected: "0", actual: "1" },
      {
        action: "accept",
        state: "accepting",
        requirement: "C7",
        field: "commits at the store",
        expected: "accept",
        actual: "none",
      },
    ],
    schedule: ["accept", "land", "reply", "activate", "finalize", "land", "reply", "land", "reply"],
  },
  {
    id: "outsider-failure-faults-nobody",
    requirement: "K2",
    summary: "when the commit of an outside party's finalization fails, the harness on the same session does not fault",
    why: "after an input or output error the store refuses every later commit (A13), so the drive keeps requesting and streaming what can no longer be stored, until its own next commit fails",
    matches: [
      {
        action: ["fail", "lose_reply"],
        state: "faulted",
        requirement: "J1",
        field: "events",
        expected: "fault",
        actual: "none",
      },
      {
        action: ["fail", "lose_reply"],
        state: "faulted",
        requirement: "K2",
        field: "signal",
        expected: "pulled",
        actual: "not pulled",
      },
      {
        action: ["fail", "lose_reply"],
        state: "faulted",
        requirement: "K2",
        field: "promises settled",
        expected: /^activate: fault/,
        actual: "finalize: fault",
      },
      {
        action: ["fail", "lose_reply"],
        state: "faulted",
        requirement: "G4",
        field: "remote cancels",
        expected: "0",
        actual: "1",
      },
    ],
    schedule: ["accept", "land", "reply", "finalize", "fail"],
  },
  {
    id: "close-leaves-calls-open",
    requirement: "K1",
    summary:
      "close rejects the running activation at once, but a call whose commit is at the store, or that is queued behind one, stays pending until the store answers, and may then resolve as if nothing had happened",
    why: "close is a controlled crash: a caller that holds such a promise waits for as long as the store hangs, and is then told of a success that the closing process no longer stands for",
    matches: [
      {
        action: "close",
        state: "closed",
        requirement: "K1",
        field: "promises settled",
        expected: /closed/,
        actual: ["none", "activate: closed"],
      },
      {
        action: "close",
        state: "closed",
        requirement: "N13",
        field: "activations still pending",
        expected: "0",
        actual: ["1", "2"],
      },
      {
        action: "late",
        state: "closed",
        requirement: "K1",
        field: "promises settled",
        expected: "none",
        actual: "cancel: ok",
      },
      {
        action: ["close", "reply", "fail", "lose_reply"],
        state: "closed",
        requirement: "K1",
        field: "invariant",
        expected: "a close leaves no promise pending",
        actual: "still pending: cancel",
      },
    ],
    schedule: ["accept", "close"],
  },
  {
    id: "fault-leaves-calls-open",
    requirement: "K2",
    summary: "a protocol defect of the provider rejects the activation, but not a cancel whose commit is at the store",
    why: "pending calls reject with the fault: the caller of cancel is otherwise told that it was requested, by a harness that no longer works on it",
    matches: [
      {
        action: /^stream\.defect /,
        state: "faulted",
        requirement: "K2",
        field: "promises settled",
        expected: "activate: fault, cancel: fault",
        actual: "activate: fault",
      },
    ],
    schedule: ["accept", "land", "reply", "activate", "land", "reply", "cancel", "stream.defect iterator_throws"],
  },
  {
    id: "missing-end-hangs",
    requirement: "B3",
    summary: "a provider stream that ends without a terminal event never faults: the drive waits for ever",
    why: "the operation can neither settle nor be retried until somebody closes the process, and nobody is told",
    matches: [
      {
        action: "stream.defect no_terminal_event",
        state: "faulted",
        requirement: "J1",
        field: "events",
        expected: "fault",
        actual: "none",
      },
    ],
    schedule: ["accept", "land", "reply", "activate", "land", "reply", "stream.defect no_terminal_event"],
  },
  {
    id: "fault-waits-for-writes",
    requirement: "B3",
    summary: "a protocol defect faults only after every queued frame append was replied",
    why: "a store that hangs then hides the defect: the harness looks alive, takes calls and pulls no signal, although the stream is beyond repair",
    matches: [
      { action: defects, state: "faulted", requirement: "J1", field: "events", expected: "fault", actual: "none" },
    ],
    schedule: [
      "accept",
      "land",
      "reply",
      "activate",
      "land",
      "reply",
      "stream.start",
      "listener.release",
      "stream.defect second_start",
    ],
  },
  {
    id: "event-after-end-accepted",
    requirement: "B3",
    summary: "an update that follows the terminal event is delivered and appended as a frame while its block is open",
    why: "events after the end are a defect of the provider: what they carry belongs to no response, and the answer settles although its stream was broken",
    matches: [
      {
        action: "stream.defect event_after_end",
        state: "faulted",
        requirement: "J1",
        field: "events",
        expected: "fault",
        actual: "message_update",
      },
      {
        action: "stream.defect event_after_end",
        state: "faulted",
        requirement: "C7",
        field: "commits at the store",
        expected: "none",
        actual: "frame",
      },
    ],
    schedule: [
      "accept",
      "land",
      "reply",
      "activate",
      "land",
      "reply",
      "stream.start",
      "listener.release",
      "stream.update",
      "listener.release",
      "stream.defect event_after_end",
    ],
  },
  {
    id: "remote-cancel-blocks",
    requirement: "G4",
    summary: "a cancelled deferred operation waits for the provider to answer the remote cancel",
    why: "the remote cancel is a courtesy to the provider: one that hangs keeps the operation open, its list in the store and its lane busy for as long",
    matches: [
      {
        action: ["reply", "activate", "permit"],
        state: "cancelled.committing",
        requirement: "C7",
        field: "commits at the store",
        expected: "terminal",
        actual: "none",
      },
      {
        action: ["reply", "activate", "permit"],
        state: "recovering",
        requirement: "C7",
        field: "commits at the store",
        expected: "recover",
        actual: "none",
      },
    ],
    schedule: [
      ...untilDeferred,
      ...untilPollEnds,
      "stream.end deferred",
      "hook.release",
      "land",
      "reply",
      "cancel",
      "land",
      "reply",
      "activate",
    ],
  },
  {
    id: "foreign-poll-handle-accepted",
    requirement: "D5",
    summary:
      "a poll that answers with a handle of another model, or with none, suspends the operation as if the handle were good",
    why: "the drive that has just accepted it cannot use it and faults the whole harness, and so does every activation after a reopen: the mismatch is to be stored as a failure of the operation when it arrives",
    matches: [
      { action: "land", requirement: "D5", field: "durable.at", expected: "none", actual: "deferred.suspended" },
    ],
    schedule: [...untilDeferred, ...untilPollEnds, "stream.end mismatched", "hook.release", "land"],
  },
  {
    id: "snapshot-after-finalization-faults",
    requirement: "K3",
    summary:
      "when an outside party has ended an operation whose tool calls were under way, the next reader who asks for a snapshot or a watcher faults the whole harness",
    why: "the snapshot follows the lane state in memory to rows that the terminal transaction has deleted, and takes their absence for corruption; nothing is wrong with the session, and a reader may stop nobody (I1, K2)",
    matches: [
      // Seen with the reply, when somebody asks for a watcher just before it.
      {
        action: "reply",
        state: "finalized",
        requirement: "J1",
        field: "events",
        expected: ["operation_end", "operation_end?"],
        actual: "fault",
      },
      {
        action: "snapshot",
        state: "finalized",
        requirement: "J1",
        field: "events",
        expected: "none",
        actual: "fault",
      },
    ],
    schedule: [...untilStreamEnds, "stream.end toolUse", "hook.release", "land", "reply", "finalize", "land", "reply"],
  },
];
