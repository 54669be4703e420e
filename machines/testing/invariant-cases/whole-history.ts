/** Hand-made histories for the invariants of section N. */
import type { HistoryStep } from "../../history.ts";
import type { RequirementId } from "../../requirements.ts";
import {
  activated,
  announced,
  appends,
  landing,
  lands,
  reopened,
  requests,
  settlement,
  startFrame,
  step,
  terminal,
  textDelta,
  textStart,
  toolCallEnd,
} from "../hand-made.ts";
import type { Cases } from "./cases.ts";

const given = (type: string, contentIndex?: number): HistoryStep =>
  step("stream.update", { provider: [{ type, contentIndex }] });

const snapshotWith = (transcriptIds: readonly string[], hasPartial = true): HistoryStep =>
  step("snapshot", { pendingResponse: "r1", snapshots: [{ hasPartial, behind: false, transcriptIds }] });

const wrongElement = (element: unknown) => ({ step: 1, history: [requests(), lands(appends(element))] });

/** The cases of section N. */
export const wholeHistoryCases = {
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
    good: {
      "three frames": [lands(appends(startFrame)), lands(appends(textStart)), lands(appends(textDelta))],
      "tool arguments of any shape, which stay unvalidated (B5)": [
        lands(...[{ city: "Rome" }, "{}", 7, null, [1]].map((given) => appends(toolCallEnd(given)))),
      ],
    },
    bad: {
      null: wrongElement(null),
      "an array": wrongElement([]),
      "a terminal event": wrongElement({ type: "done", message: {} }),
      "an unknown type": wrongElement({ ...textDelta, type: "text_delta_2" }),
      "a start with content": wrongElement({ type: "start", partial: { role: "assistant", content: [{}] } }),
      "no content index": wrongElement({ type: "text_delta", delta: "x" }),
      "a negative content index": wrongElement({ ...textDelta, contentIndex: -1 }),
      "no delta": wrongElement({ type: "text_delta", contentIndex: 0 }),
      "a tool call without arguments": wrongElement({ type: "toolcall_end", contentIndex: 0, id: "c", name: "probe" }),
      "a type that every object inherits": wrongElement({ type: "constructor", contentIndex: 0 }),
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
    without: [
      snapshotWith(["p1"], false),
      step("snapshot", { snapshots: [{ hasPartial: true, behind: false, transcriptIds: [] }] }),
    ],
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
} satisfies Partial<Record<RequirementId, Cases>>;
