/** Where pi-agent-core and the specification part when an outside party ends an operation (K3). */
import type { KnownDivergence } from "../known-divergence.ts";
import { untilDeferred, untilIntentLands, untilPollEnds, untilStreamEnds, untilStreams } from "./beginnings.ts";

const unnoticed = { action: "reply", state: "finalized" } as const;
const reopened = {
  requirement: "K3",
  field: "pi.op.state",
  expected: "nothing: no such operation is open",
  actual: /^\{/,
} as const;
const asked = { state: "finalized" } as const;

/** Reviewed: a finalization that the harness does not notice, or does not survive. */
export const finalizationDivergences: readonly KnownDivergence[] = [
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
        actual: ["frame", "mark", "settle", "recover", "terminal", "intent", "cancel"],
      },
      { ...unnoticed, requirement: "K3", field: "signal", expected: "pulled", actual: "not pulled" },
      {
        ...unnoticed,
        requirement: "O2",
        field: "promises settled",
        expected: /^activate: finalized.*finalize: ok/,
        actual: "finalize: ok",
      },
      {
        ...unnoticed,
        requirement: "O2",
        field: "promises settled",
        expected: /finalize: ok/,
        actual: "finalize: ok, activate: suspended",
      },
      { ...unnoticed, requirement: "G4", field: "remote cancels", expected: "0", actual: "1" },
      { ...unnoticed, ...reopened },
      {
        ...unnoticed,
        requirement: "K3",
        field: "entry.message",
        expected: "nothing: no such call is planned",
        actual: /"toolResult"/,
      },
      {
        action: "accept",
        from: "finalized",
        requirement: "C7",
        field: "commits at the store",
        expected: "accept",
        actual: "none",
        schedule: ["accept", "land", "reply", "finalize", "land", "reply", "accept"],
      },
      {
        action: "cancel",
        from: "finalized",
        requirement: "F1",
        field: "promises settled",
        expected: "cancel: refused",
        actual: "cancel: ok",
        schedule: [...untilIntentLands, "crash", "reopen", "finalize", "land", "reply", "cancel"],
      },
      // Without a drive it is the next caller who meets the operation that is over.
      {
        ...asked,
        action: "snapshot",
        requirement: "I1",
        field: "snapshot: operation open",
        expected: "false",
        actual: "true",
        schedule: ["accept", "land", "reply", "finalize", "land", "reply", "snapshot"],
      },
      {
        ...asked,
        action: ["activate", "activate.nowait", "permit", "cancel"],
        requirement: "C7",
        field: "commits at the store",
        expected: "none",
        actual: ["cancel", "recover", "intent", "terminal"],
        schedule: ["accept", "land", "reply", "finalize", "land", "reply", "cancel"],
      },
      {
        ...asked,
        action: ["activate", "activate.nowait", "permit"],
        requirement: "O2",
        field: "promises settled",
        expected: /: refused$/,
        actual: "none",
        schedule: [
          ...["accept", "land", "reply", "activate", "land", "crash", "reopen", "activate", "land", "crash", "reopen"],
          ...["finalize", "land", "reply", "activate"],
        ],
      },
      {
        ...asked,
        action: "activate",
        requirement: "O2",
        field: "promises settled",
        expected: "activate: refused",
        actual: "activate: suspended",
        schedule: [...untilDeferred, "permit", "land", "crash", "reopen", "finalize", "land", "reply", "activate"],
      },
      {
        ...asked,
        action: "activate",
        requirement: "G4",
        field: "remote cancels",
        expected: "0",
        actual: "1",
        schedule: [
          ...[...untilDeferred, ...untilPollEnds, "stream.end deferred", "hook.release", "land", "reply"],
          ...["cancel", "land", "reply", "finalize", "land", "reply", "activate"],
        ],
      },
      {
        ...asked,
        ...reopened,
        action: "activate",
        schedule: ["accept", "land", "reply", "finalize", "land", "reply", "activate"],
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
      {
        action: ["fail", "lose_reply"],
        state: "faulted",
        requirement: "I1",
        field: "snapshot: operation open",
        expected: "false",
        actual: "true",
        schedule: [
          ...untilStreams,
          "stream.start",
          "finalize",
          "land",
          "reply",
          "listener.release",
          "snapshot",
          "stream.update",
          "fail",
        ],
      },
    ],
    schedule: ["accept", "land", "reply", "finalize", "fail"],
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
    ],
    schedule: [
      ...[...untilStreamEnds, "stream.end toolUse", "hook.release", "land", "reply"],
      ...["finalize", "land", "reply", "land", "reply"],
    ],
  },
];
