/** Each transaction gets the name that the machine has for it, by its rows alone. */
import type { AssistantMessage } from "@earendil-works/pi-ai";
import { describe, expect, test } from "vitest";
import { commitNames } from "../../machines/index.ts";
import {
  appendList,
  branchTip,
  deleteList,
  deleteValue,
  insertEntry,
  insertUsage,
  laneConfig,
  laneState,
  type OperationResultRecord,
  type OperationState,
  operationMeta,
  operationResult,
  operationState,
  pendingAssistantFrames,
  setValue,
  type Write,
} from "../../src/index.ts";
import { finalizedCode } from "../adapters/adapter.ts";
import { nameOfCommit } from "./commit-names.ts";
import { Interpreter } from "./interpreter.ts";
import { RequestScript } from "./script.ts";

const running = { status: "running" };
const cancelled = { status: "cancel_requested", requestedAt: 1 };
const stateOf = (fields: object): Write => setValue(operationState("op"), fields as OperationState);
const ready = stateOf({ at: "assistant.ready", control: running });
const pending = (responseEntryId: string, control: object = running, at = "assistant.effect_pending"): Write =>
  stateOf({ at, control, responseEntryId });
const lane = (currentOperationId: string | null): Write =>
  setValue(laneState("main"), { currentOperationId, lastOperationId: null, inbox: [] });
const frames = pendingAssistantFrames("op", "r1");

const { message } = new RequestScript(1, 0).end("stop") as { message: AssistantMessage };
const response: Write[] = [
  insertEntry({ id: "r1", parentId: null, type: "message", message }),
  insertUsage({ id: "u1", usage: message.usage, entryId: "r1", adjustment: false }),
  setValue(branchTip("main"), "r1"),
  deleteList(frames),
];
const result = (error?: OperationResultRecord["error"]): Write[] => [
  deleteValue(operationMeta("op")),
  deleteValue(operationState("op")),
  setValue(operationResult("op"), {
    operationId: "op",
    kind: "run",
    status: error === undefined ? "completed" : "failed",
    ...(error === undefined ? {} : { error }),
    fromTipId: null,
    tipId: null,
    startedAt: 0,
    endedAt: 1,
  }),
  lane(null),
];
const accept: Write[] = [
  insertEntry({ id: "p1", parentId: null, type: "message", message: { role: "user", content: "hi", timestamp: 0 } }),
  setValue(branchTip("main"), "p1"),
  setValue(operationMeta("op"), {
    operationId: "op",
    lane: "main",
    sourceTipId: null,
    startedAt: 0,
    intent: { kind: "run", promptEntryIds: ["p1"] },
  }),
  ready,
  lane("op"),
];

const planner = insertEntry({
  id: "r1",
  parentId: null,
  type: "message",
  message: { ...message, content: [{ type: "toolCall", id: "c", name: "send", arguments: {} }] },
});
type Status = { readonly status: string; readonly runs?: number };
const tools = (call: Status, control = running) =>
  stateOf({
    at: "tools",
    control,
    batch: { assistantEntryId: "r1", calls: [{ sourceIndex: 0, resultEntryId: "t1", ...call }] },
  });
const marked = { status: "effect_pending", runs: 1 };
/** Name a step of a batch whose call `c` was `before`; it has returned, or not. */
const step = (before: Status, after: Write, returned: readonly string[] = ["c"]) =>
  named([after], tools(before), ["r1"], returned);

/** Name `writes` over a lane whose operation state was set by `before`. */
function named(
  writes: Write[],
  before: Write | undefined = pending("r1"),
  requested: readonly string[] = ["r1"],
  returned: readonly string[] = [],
) {
  const durable = new Interpreter();
  const earlier = before === undefined ? [] : [planner, lane("op"), before];
  const seqs = earlier.map((_, at) => at + 1);
  const stats = { messageCount: 0, usage: message.usage };
  durable.apply(earlier, { firstSeq: 1, seqs, timestamp: 0, stats });
  return nameOfCommit(writes, durable, { requested: new Set(requested), returned: new Set(returned) });
}

const cases: readonly (readonly [string, string, ReturnType<typeof named>])[] = [
  ["accept", "prompt, tip, meta, state and lane", named(accept, undefined)],
  ["intent", "a fresh response id", named([pending("r1")], ready)],
  [
    "intent",
    "another response id after a retry wait",
    named([pending("r2")], stateOf({ at: "assistant.retry_wait", control: running })),
  ],
  [
    "intent",
    "[G3] a poll that replaces an unknown one",
    named([deleteList(frames), pending("r2", running, "deferred.effect_pending")]),
  ],
  ["frame", "one append", named([appendList(frames, { type: "text_delta", contentIndex: 0, delta: "x" })])],
  [
    "settle",
    "the response of a request that this process made",
    named([...response, stateOf({ at: "checkpoint", control: running })]),
  ],
  [
    "settle",
    "a response that ends its operation",
    named([...response, ...result({ code: "provider", message: "no" })]),
  ],
  [
    "settle",
    "the response of a cancelled operation",
    named([...response, stateOf({ at: "checkpoint", control: cancelled })], pending("r1", cancelled)),
  ],
  [
    "recover",
    "the response of a request that no process of this life made",
    named([...response, stateOf({ at: "checkpoint", control: running })], pending("r1"), ["r0"]),
  ],
  ["cancel", "the control of the same state", named([pending("r1", cancelled)])],
  ["cancel", "in a ready state", named([stateOf({ at: "assistant.ready", control: cancelled })], ready)],
  ["terminal", "a result", named(result())],
  ["terminal", "a failure of the operation's own", named(result({ code: "failed", message: "no" }))],
  ["finalize", "a result with the outside party's code", named(result({ code: finalizedCode, message: "ended" }))],
  [
    "internal",
    "the configuration of a lane",
    named([
      setValue(laneConfig("main"), {
        model: { provider: "p", modelId: "m" },
        thinkingLevel: "off",
        activeToolNames: [],
      }),
    ]),
  ],
  ["internal", "the same pending state again", named([pending("r1")])],
  ["internal", "a cancel that had landed before", named([pending("r1", cancelled)], pending("r1", cancelled))],
  [
    "internal",
    "tool results",
    named(
      [
        insertEntry({
          id: "t1",
          parentId: null,
          type: "message",
          message: {
            role: "toolResult",
            toolCallId: "c",
            toolName: "probe",
            content: [],
            isError: false,
            timestamp: 0,
          },
        }),
        ready,
      ],
      stateOf({ at: "tools", control: running }),
    ),
  ],
  ["mark", "[Q1] a planned call that may start", step({ status: "planned" }, tools(marked))],
  ["mark", "[Q1] a call that may start once more", step(marked, tools({ ...marked, runs: 2 }))],
  ["result", "[Q1] a call that has returned", step(marked, tools({ status: "outcome_ready" }))],
  ["result", "[Q1] the last result, with which the operation goes on", step(marked, ready)],
  ["internal", "an error in place of a result", step(marked, tools({ status: "outcome_ready" }), [])],
  ["internal", "a result that moves to the transcript", step({ status: "outcome_ready" }, ready)],
  ["cancel", "amid a batch", step(marked, tools(marked, cancelled))],
  ["internal", "a frame list that is only deleted", named([deleteList(frames)])],
  ["internal", "nothing at all", named([])],
];

describe("names of commits", () => {
  test.each(cases)("%s: %s", (name, _what, found) => {
    expect(found).toBe(name);
  });

  test("every name of the vocabulary is given to some transaction", () => {
    expect(new Set(cases.map(([name]) => name))).toEqual(new Set([...commitNames, "internal"]));
  });
});
