/** A plan of tool calls, walked through the machine step by step: marks, results, crashes, cancels (Q1). */
import { describe, expect, test } from "vitest";
import { can, drain, road, type Walk, walk } from "../testing/operation-walk.ts";
import type { Effect } from "../vocabulary.ts";

const planned = (end = "toolUse"): Walk => walk(...road.listed, `stream.end ${end}`, "hook.release", "land", "reply");
const landed = ["land", "reply"] as const;
/** Both calls run. */
const running = (): Walk => planned().and(...landed, ...landed);

const started = ({ shown }: Walk): string[] =>
  shown.flatMap((effect) => (effect.kind === "tools" ? [effect.tool] : []));
const results = (effects: readonly Effect[]) =>
  effects.flatMap((effect) => (effect.kind === "tool_results" ? [`${effect.tools.join(", ")} ${effect.as}`] : []));
const planOf = ({ state }: Walk) => state.context.durable.plan;
const again = (walked: Walk): Walk => walked.and("crash", "reopen", "activate");

describe("[Q1] a plan that nobody disturbs", () => {
  test("marks a call before it starts, and the next one when it has started", () => {
    const marking = planned();
    expect([marking.place, marking.line, started(marking)]).toEqual(["tools.driven", ["mark"], []]);
    const marked = marking.and("land");
    expect([planOf(marked), started(marked)]).toEqual([{ send: "marked", look: "planned" }, []]);
    const first = marked.and("reply");
    expect([started(first), first.line]).toEqual([["send"], ["mark"]]);
    const both = first.and(...landed);
    expect([started(both), both.line, both.state.context.running]).toEqual([["look"], [], ["send", "look"]]);
  });

  test("makes each result durable when its call returns, whatever the order, and asks again behind the last", () => {
    const second = running().and("tool.return look");
    expect([second.line, results(second.and("land").shown)]).toEqual([["result"], ["look returned"]]);
    const one = second.and(...landed);
    expect([one.place, planOf(one)]).toEqual(["tools.driven", { send: "marked", look: "done" }]);
    const last = one.and("tool.return send", "land");
    expect(last.state.context.durable).toMatchObject({ at: "ready", plan: null });
    expect([last.and("reply").place, last.and("reply").line]).toEqual(["effect_pending.requesting", ["intent"]]);
  });

  test("lets both results wait on the line, each landing alone", () => {
    const both = running().and("tool.return look", "tool.return send", "land");
    expect(both.line).toEqual(["result", "result"]);
    expect(can(both, "land")).toBe(false);
    expect(can(both, "tool.return send")).toBe(false);
  });

  test("[D5] refuses every call of a response that was cut off, and starts none", () => {
    const refused = planned("length");
    expect([results(refused.shown), started(refused), refused.line]).toEqual([["send, look refused"], [], ["intent"]]);
  });
});

describe("[Q1] a crash amid a plan", () => {
  test("leaves a call without a mark to be started", () => {
    const restored = planned().and("crash", "reopen");
    expect(restored.place).toBe("tools.parked");
    const driven = restored.and("activate");
    expect([driven.line, results(driven.shown)]).toEqual([["mark"], []]);
  });

  test("keeps a finished result, and gives a call of unknown outcome an error", () => {
    const restored = again(running().and("tool.return look", ...landed));
    expect(results(restored.shown)).toEqual(["send interrupted"]);
    expect([restored.place, restored.line]).toEqual(["effect_pending.requesting", ["intent"]]);
  });

  test("lets a call that is safe to repeat run again, behind a mark of its own, and no third time", () => {
    const second = again(running());
    expect([results(second.shown), second.line, planOf(second)]).toEqual([
      ["send interrupted"],
      ["mark"],
      { send: "done", look: "marked" },
    ]);
    const repeated = second.and(...landed);
    expect([started(repeated), planOf(repeated)]).toEqual([["look"], { send: "done", look: "marked again" }]);
    const third = again(repeated);
    expect([results(third.shown), third.line]).toEqual([["look interrupted"], ["intent"]]);
  });
});

describe("a plan that is cancelled", () => {
  test("[F4] keeps finished results, and aborts the rest on the reply", () => {
    const replied = running().and("tool.return send", ...landed, "cancel", ...landed);
    expect([results(replied.shown), replied.line]).toEqual([["look aborted"], ["terminal"]]);
    expect(drain(replied).state.context.durable.outcome).toBe("aborted");
  });

  test("[F4] keeps the result of a call that returns before the reply of the cancel", () => {
    const waiting = running().and("cancel", "tool.return send", ...landed);
    expect([waiting.place, waiting.line, results(waiting.shown)]).toEqual(["tools.driven", ["result"], []]);
    expect(can(waiting, "tool.return look")).toBe(false);
    const ended = waiting.and(...landed);
    expect([results(ended.shown), ended.line]).toEqual([["look aborted"], ["terminal"]]);
  });

  test("[F1] starts no call that was marked when the cancel was called", () => {
    const marked = planned().and("cancel", ...landed);
    expect([started(marked), marked.line]).toEqual([[], ["cancel"]]);
    expect(results(marked.and(...landed).shown)).toEqual(["send, look aborted"]);
  });

  test("[F4] behind the last result ends without a request", () => {
    const last = running().and("tool.return send", ...landed, "tool.return look", "land", "cancel", "reply");
    expect(last.place).toBe("ready.driven");
    expect(drain(last).place).toBe("cancelled.done");
  });
});

test("[K3] a result behind a finalization is dropped", () => {
  const finalized = running().and("finalize", "tool.return send", ...landed);
  expect([finalized.place, finalized.line]).toEqual(["finalized", []]);
  expect(results(finalized.allShown)).toEqual([]);
});
