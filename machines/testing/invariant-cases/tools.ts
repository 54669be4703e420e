/** Hand-made histories for the invariants about tool calls (Q1, D5). */
import type { HistoryStep, LandingFact } from "../../history.ts";
import type { RequirementId } from "../../requirements.ts";
import { accepts, landing, lands, requests, settlement, step } from "../hand-made.ts";
import type { Cases } from "./cases.ts";

const nothing: LandingFact["tools"] = { planned: [], marked: [], finished: [] };

/** A response that plans these calls. */
const plans = (...planned: string[]): HistoryStep =>
  lands(settlement("settle", "toolUse", { plansTools: true, tools: { ...nothing, planned } }));
/** The mark of a call. */
const marks = (call: string): HistoryStep => lands(landing("mark", { tools: { ...nothing, marked: [call] } }));
/** The result of a call. */
export const finishes = (call: string, failed = false): HistoryStep =>
  lands(landing("result", { tools: { ...nothing, finished: [{ call, tool: call, failed }] } }));
/** A call starts. */
export const starts = (call: string, repeatable = false): HistoryStep =>
  step("reply", { tools: [{ call, tool: call, repeatable }] });

const asksWith = (...results: string[]): HistoryStep =>
  step("reply", { requests: [{ response: "r2", contextStops: [], results }] });

/** The cases about tool calls. */
export const toolCases = {
  Q1: {
    good: {
      "a call starts behind its mark": [marks("send"), starts("send"), finishes("send")],
      "a call that is safe to repeat starts again, behind another mark": [
        marks("look"),
        starts("look", true),
        step("crash"),
        marks("look"),
        starts("look", true),
      ],
      "each call has a mark of its own": [marks("send"), starts("send"), marks("look"), starts("look", true)],
    },
    bad: {
      "a call starts before its mark": { step: 0, history: [starts("send"), marks("send")] },
      "a call starts behind the mark of another": { step: 1, history: [marks("look"), starts("send")] },
      "a call runs again that is not safe to repeat": {
        step: 3,
        history: [marks("send"), starts("send"), marks("send"), starts("send")],
      },
      "a call runs again without another mark": {
        step: 2,
        history: [marks("look"), starts("look", true), starts("look", true)],
      },
      "a call runs a third time": {
        step: 5,
        history: [1, 2, 3].flatMap(() => [marks("look"), starts("look", true)]),
      },
      "a call runs that has its result": {
        step: 3,
        history: [marks("look"), marks("look"), finishes("look"), starts("look", true)],
      },
    },
    without: [plans("send", "look"), marks("send")],
  },
  D5: {
    good: {
      "each call has one result": [plans("send", "look"), asksWith("send", "look")],
      "a later request has them still": [plans("send"), asksWith("send"), plans("look"), asksWith("send", "look")],
      "the next operation need not have what an outside party left open": [
        plans("look"),
        asksWith("look"),
        accepts(),
        lands(landing("accept")),
        requests(),
      ],
    },
    bad: {
      "a call has no result": { step: 1, history: [plans("send", "look"), asksWith("send")] },
      "a call has two results": { step: 1, history: [plans("send"), asksWith("send", "send")] },
    },
    without: [requests(), plans("send")],
  },
} satisfies Partial<Record<RequirementId, Cases>>;
