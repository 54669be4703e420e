/** Hand-made histories for each invariant: some that keep it, some that break it, one of which it does not speak. */

import type { History, HistoryStep, LandingFact } from "../history.ts";
import { audienceCases } from "./audience-cases.ts";
import {
  accepts,
  appends,
  durableAt,
  landing,
  lands,
  requests,
  settlement,
  startFrame,
  step,
  terminal,
  textDelta,
  textStart,
} from "./hand-made.ts";

export interface Cases {
  /** The premise holds and nothing is wrong. */
  readonly good: Readonly<Record<string, History>>;
  /** What is wrong, and the step that the invariant must name. */
  readonly bad: Readonly<Record<string, { readonly step: number; readonly history: History }>>;
  /** The situation that the invariant speaks about does not occur. */
  readonly without: History;
}

const given = (type: string, contentIndex?: number): HistoryStep =>
  step("stream.update", { provider: [{ type, contentIndex }] });
const reopened = (at: HistoryStep["durable"]["at"], listed = 0): HistoryStep =>
  step("reopen", { durable: durableAt(at, listed) });
const activated = (...atStore: HistoryStep["atStore"]): HistoryStep => step("activate", { atStore });
const announced = (name: HistoryStep["events"][number]["name"], recovery: boolean): HistoryStep =>
  step("reply", { events: [{ name, recovery, entryId: "r1" }] });
const ends = (outcome: HistoryStep["calls"][number]["outcome"], announces: boolean): HistoryStep =>
  step("reply", {
    calls: [{ call: "activate", outcome }],
    events: announces ? [{ name: "operation_end", recovery: false }] : [],
  });
const snapshotWith = (transcriptIds: readonly string[], hasPartial = true): HistoryStep =>
  step("snapshot", { pendingResponse: "r1", snapshots: [{ hasPartial, transcriptIds }] });
const polled = (): HistoryStep => step("reply", { polls: [{ response: "r1", handle: "h" }] });
/** The lane waits for a poll, or has one of unknown outcome, as the step before an intent has left it. */
const deferredAt = (
  at: "deferred.suspended" | "deferred.effect_pending",
  { poll = 1, listed = 0 }: { poll?: number; listed?: number } = {},
): HistoryStep =>
  step("reopen", {
    durable: { ...durableAt(at, listed), poll },
    pendingResponse: at === "deferred.suspended" ? undefined : "r1",
  });
const pollIntent = (poll: number, more: Partial<LandingFact> = {}): HistoryStep => ({
  ...lands(landing("intent", { responseEntryId: "r2", ...more })),
  durable: { ...durableAt("deferred.effect_pending"), poll },
});
const givesUp = (): HistoryStep =>
  step("activate", { remoteCancels: ["h"], durable: deferredAt("deferred.effect_pending").durable });
const wrongElement = (element: unknown) => ({ step: 1, history: [requests(), lands(appends(element))] });

export const cases: Readonly<Record<string, Cases>> = {
  N1: {
    good: {
      "an orphaned generation is recovered": [reopened("effect_pending"), activated("recover")],
      "a ready lane reserves its attempt": [reopened("ready"), activated("intent")],
      "a checkpoint ends the operation, a cancel in front": [reopened("checkpoint"), activated("cancel", "terminal")],
      "a drive that died before its first commit": [
        reopened("ready"),
        activated(),
        step("crash"),
        activated("recover"),
      ],
    },
    bad: {
      "an orphaned generation is reserved anew": {
        step: 1,
        history: [reopened("effect_pending"), activated("intent")],
      },
      "a ready lane is recovered, one step later": {
        step: 1,
        history: [reopened("ready"), activated(), step("reply", { atStore: ["recover"] })],
      },
    },
    without: [step("accept"), activated("recover")],
  },
  N2: {
    good: { "frames go to the address of their response": [lands(appends(startFrame))] },
    bad: { "a frame goes elsewhere": { step: 1, history: [step("crash"), lands(appends(startFrame, "op:r2"))] } },
    without: [lands(landing("intent"))],
  },
  N3: {
    good: { "three frames": [lands(appends(startFrame)), lands(appends(textStart)), lands(appends(textDelta))] },
    bad: {
      null: wrongElement(null),
      "an array": wrongElement([]),
      "a terminal event": wrongElement({ type: "done", message: {} }),
      "an unknown type": wrongElement({ ...textDelta, type: "text_delta_2" }),
      "a start with content": wrongElement({ type: "start", partial: { role: "assistant", content: [{}] } }),
      "no content index": wrongElement({ type: "text_delta", delta: "x" }),
      "a negative content index": wrongElement({ ...textDelta, contentIndex: -1 }),
      "no delta": wrongElement({ type: "text_delta", contentIndex: 0 }),
      "tool arguments as text": wrongElement({
        type: "toolcall_end",
        contentIndex: 0,
        id: "c",
        name: "probe",
        arguments: "{}",
      }),
    },
    without: [lands(settlement("settle", "stop"))],
  },
  N4: {
    good: { "a delta": [lands(appends(textDelta))] },
    bad: { done: wrongElement({ type: "done" }), error: wrongElement({ type: "error" }) },
    without: [lands(settlement("settle", "stop"))],
  },
  N5: {
    good: {
      "as given": [
        requests(),
        given("start"),
        lands(appends(startFrame)),
        given("text_start", 0),
        lands(appends(textStart)),
      ],
      "two frames land long after their events": [
        requests(),
        given("start"),
        given("text_start", 0),
        given("text_delta", 0),
        lands(appends(startFrame), appends(textDelta)),
      ],
      "a checkpoint stands for a delta of the tool call": [
        requests(),
        given("toolcall_delta", 1),
        lands(appends({ type: "toolcall_checkpoint", contentIndex: 1, json: "{" })),
      ],
    },
    bad: {
      "out of order": {
        step: 3,
        history: [requests(), given("start"), given("text_start", 0), lands(appends(textStart), appends(startFrame))],
      },
      "twice from one event": {
        step: 3,
        history: [requests(), given("text_delta", 0), lands(appends(textDelta)), lands(appends(textDelta))],
      },
      "before its event": { step: 1, history: [requests(), lands(appends(startFrame)), given("start")] },
      "of another block": {
        step: 2,
        history: [requests(), given("text_delta", 1), lands(appends(textDelta))],
      },
      "of the stream before": { step: 2, history: [given("start"), requests(), lands(appends(startFrame))] },
    },
    without: [requests(), given("start")],
  },
  N6: {
    good: { "the hook starts over an empty store": [step("reply", { hooks: 1 })] },
    bad: {
      "the hook starts before the last reply": { step: 0, history: [step("reply", { hooks: 1, atStore: ["frame"] })] },
      "message_end comes before the last reply": {
        step: 0,
        history: [{ ...announced("message_end", false), atStore: ["frame"] }],
      },
    },
    without: [step("reply", { atStore: ["frame"] }), announced("message_end", true)],
  },
  N7: {
    good: { "restored frames are recovered": [reopened("effect_pending", 2), activated("recover")] },
    bad: {
      "restored frames count as the response": {
        step: 1,
        history: [reopened("effect_pending", 2), activated("settle")],
      },
    },
    without: [reopened("effect_pending", 0), activated("settle")],
  },
  N8: {
    good: {
      "settled live": [lands(appends(startFrame)), lands(settlement("settle", "stop"))],
      recovered: [lands(appends(startFrame)), lands(settlement("recover", "error"))],
    },
    bad: {
      "the list is not deleted": {
        step: 1,
        history: [lands(appends(startFrame)), lands(settlement("settle", "stop", { deleted: [] }))],
      },
      "another list is deleted": {
        step: 1,
        history: [lands(appends(startFrame)), lands(settlement("recover", "error", { deleted: ["op:r0"] }))],
      },
      "the list is filled again": {
        step: 1,
        history: [lands(appends(startFrame)), lands(settlement("settle", "stop", { listsLeft: ["op:r1"] }))],
      },
    },
    without: [lands(settlement("settle", "stop", { deleted: [] }))],
  },
  N9: {
    good: { "a partial beside the transcript": [snapshotWith(["p1"])] },
    bad: { "the pending response in the transcript": { step: 1, history: [requests(), snapshotWith(["p1", "r1"])] } },
    without: [snapshotWith(["p1"], false), step("snapshot", { snapshots: [{ hasPartial: true, transcriptIds: [] }] })],
  },
  N10: {
    good: { "a recovery plans nothing": [lands(settlement("recover", "error"))] },
    bad: {
      "a recovery plans tools": { step: 0, history: [lands(settlement("recover", "error", { plansTools: true }))] },
    },
    without: [lands(settlement("settle", "toolUse", { plansTools: true }))],
  },
  N12: {
    good: { "another operation's list is its own affair": [lands(terminal("finalize", { listsLeft: ["op2:r1"] }))] },
    bad: {
      "the list outlives its operation": {
        step: 0,
        history: [lands(terminal("terminal", { listsLeft: ["op2:r1", "op:r1"] }))],
      },
    },
    without: [lands(appends(startFrame))],
  },
  N13: {
    good: { "at rest, no promise": [step("reply", { resting: true })] },
    bad: {
      "at rest with a promise": {
        step: 1,
        history: [step("land"), step("reply", { resting: true, openCalls: ["cancel"] })],
      },
    },
    without: [step("reply", { openCalls: ["activate", "activate"] })],
  },
  G2: {
    good: {
      "each permit makes one poll": [step("permit"), polled(), step("permit"), polled()],
      "a permit whose intent had to wait": [step("permit"), step("land"), step("listener.release"), polled()],
    },
    bad: {
      "an activation without a permit": { step: 1, history: [activated(), polled()] },
      "two polls for one permit": { step: 2, history: [step("permit"), polled(), polled()] },
      "the permit of a process that is gone": {
        step: 3,
        history: [step("permit"), step("crash"), step("reopen"), polled()],
      },
    },
    without: [step("permit"), requests()],
  },
  G3: {
    good: {
      "the next poll": [deferredAt("deferred.suspended"), pollIntent(2)],
      "a replacement of a poll with frames": [
        deferredAt("deferred.effect_pending", { listed: 2 }),
        pollIntent(1, { deleted: ["op:r1"] }),
      ],
      "a replacement of a poll without frames": [deferredAt("deferred.effect_pending"), pollIntent(1)],
    },
    bad: {
      "the next poll keeps the number": { step: 1, history: [deferredAt("deferred.suspended"), pollIntent(1)] },
      "the replacement counts on": { step: 1, history: [deferredAt("deferred.effect_pending"), pollIntent(2)] },
      "the replacement keeps the id": {
        step: 1,
        history: [deferredAt("deferred.effect_pending"), pollIntent(1, { responseEntryId: "r1" })],
      },
      "the replacement leaves the list": {
        step: 1,
        history: [deferredAt("deferred.effect_pending", { listed: 1 }), pollIntent(1, { listsLeft: ["op:r1"] })],
      },
    },
    without: [reopened("ready"), lands(landing("intent"))],
  },
  G4: {
    good: {
      "an unknown poll": [givesUp(), lands(settlement("recover", "aborted"))],
      "a suspended operation": [
        givesUp(),
        deferredAt("deferred.suspended"),
        step("activate", { remoteCancels: ["h"], durable: durableAt("deferred.suspended") }),
        lands(terminal()),
      ],
    },
    bad: {
      "nobody was asked": {
        step: 1,
        history: [deferredAt("deferred.effect_pending"), lands(settlement("recover", "aborted"))],
      },
      "a process before had asked": {
        step: 2,
        history: [givesUp(), deferredAt("deferred.effect_pending"), lands(settlement("recover", "aborted"))],
      },
    },
    without: [reopened("effect_pending"), lands(settlement("recover", "aborted"))],
  },
  D1: {
    good: { "response, usage, decision": [lands(settlement("settle", "stop"))] },
    bad: {
      "no usage row": { step: 0, history: [lands(settlement("settle", "stop", { usage: [] }))] },
      "the usage of another response": {
        step: 0,
        history: [lands(settlement("settle", "stop", { usage: [{ id: "u1", entryId: "r0" }] }))],
      },
      "no decision": { step: 0, history: [lands(settlement("recover", "error", { decides: false }))] },
      "a settlement without a response": { step: 0, history: [lands(settlement("settle", "stop", { responses: [] }))] },
      "a response in an internal transaction": {
        step: 0,
        history: [lands(landing("internal", { responses: [{ id: "r1", stop: "stop", toolCalls: 0 }] }))],
      },
    },
    without: [lands(landing("intent"), appends(startFrame), terminal())],
  },
  K3: {
    good: { "each operation ends once": [lands(terminal()), lands(terminal("terminal", { ends: "op2" }))] },
    bad: {
      "the drive ends what was finalized": { step: 1, history: [lands(terminal("finalize")), lands(terminal())] },
      "a failure ends it in its settlement": {
        step: 1,
        history: [lands(terminal()), lands(settlement("settle", "error", { ends: "op" }))],
      },
    },
    without: [lands(landing("intent"))],
  },
  K1: {
    good: {
      "closed, and only the outside party waits": [
        step("close", { calls: [{ call: "close", outcome: "ok" }], openCalls: ["finalize"] }),
      ],
    },
    bad: {
      "a cancel stays pending": {
        step: 1,
        history: [step("cancel"), step("close", { calls: [{ call: "close", outcome: "ok" }], openCalls: ["cancel"] })],
      },
    },
    without: [step("close", { openCalls: ["close", "cancel"] })],
  },
  K2: {
    good: { "every promise is rejected": [step("fail", { events: [{ name: "fault", recovery: false }] })] },
    bad: {
      "a snapshot stays pending": {
        step: 0,
        history: [step("fail", { events: [{ name: "fault", recovery: false }], openCalls: ["snapshot"] })],
      },
    },
    without: [step("fail", { openCalls: ["activate"] })],
  },
  O2: {
    good: {
      "announced with the result": [ends("completed", true)],
      "another operation ends as well": [ends("failed", true), accepts(), ends("aborted", true)],
      "a finalization without a drive, then a new operation": [
        step("reply", { events: [{ name: "operation_end", recovery: false }] }),
        accepts(),
        ends("completed", true),
      ],
    },
    bad: {
      "the drive resolves in silence": { step: 1, history: [step("activate"), ends("finalized", false)] },
      "a listener was held, but has returned": {
        step: 2,
        history: [announced("message_start", false), step("listener.release"), ends("completed", false)],
      },
      "announced again": {
        step: 1,
        history: [ends("completed", true), step("late", { events: [{ name: "operation_end", recovery: false }] })],
      },
    },
    without: [announced("message_update", false), ends("finalized", false)],
  },
  J1: {
    good: {
      "message_end, then the settlement": [
        requests(),
        announced("message_end", false),
        lands(settlement("settle", "stop")),
      ],
      "each attempt has its own": [
        requests(),
        announced("message_end", false),
        lands(settlement("settle", "error")),
        requests(),
        announced("message_end", false),
        lands(settlement("settle", "stop")),
      ],
    },
    bad: {
      "no message_end": { step: 1, history: [requests(), lands(settlement("settle", "stop"))] },
      "message_end of the attempt before": {
        step: 3,
        history: [requests(), announced("message_end", false), requests(), lands(settlement("settle", "stop"))],
      },
      "message_end comes again with the reply": {
        step: 3,
        history: [
          requests(),
          announced("message_end", false),
          lands(settlement("settle", "stop")),
          announced("message_end", false),
        ],
      },
    },
    without: [requests(), announced("message_end", true), lands(settlement("recover", "error"))],
  },
  J3: {
    good: { "after the landing": [lands(settlement("settle", "stop")), announced("entry_added", false)] },
    bad: {
      "before the landing": {
        step: 0,
        history: [announced("entry_added", false), lands(settlement("settle", "stop"))],
      },
      twice: {
        step: 2,
        history: [
          lands(settlement("recover", "error")),
          announced("entry_added", true),
          announced("entry_added", false),
        ],
      },
    },
    without: [lands(settlement("settle", "stop")), announced("message_end", false)],
  },
  I4: {
    good: {
      "in order, over several steps": [
        announced("message_start", true),
        announced("message_end", true),
        announced("entry_added", true),
      ],
      "a recovery that was cut short starts over after the reopen": [
        announced("message_start", true),
        step("reopen"),
        announced("message_start", true),
        announced("message_end", true),
        announced("entry_added", true),
      ],
    },
    bad: {
      "no message_end": { step: 1, history: [announced("message_start", true), announced("entry_added", true)] },
      "an update is replayed": {
        step: 3,
        history: [
          announced("message_start", true),
          announced("message_update", true),
          announced("message_end", true),
          announced("entry_added", true),
        ],
      },
    },
    without: [announced("message_start", false), announced("message_end", false), announced("entry_added", false)],
  },
  ...audienceCases,
  E8: {
    good: { "a later request sees what succeeded": [lands(settlement("settle", "error")), requests("toolUse")] },
    bad: {
      "an error in the context": { step: 1, history: [lands(settlement("settle", "error")), requests("error")] },
      "an aborted response in the context": {
        step: 2,
        history: [lands(settlement("recover", "aborted")), requests("stop"), requests("stop", "aborted")],
      },
    },
    without: [requests("error")],
  },
};
