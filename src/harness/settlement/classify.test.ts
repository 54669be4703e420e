/** What becomes of each kind of response (D5). */
import type { DeferredHandle } from "@earendil-works/pi-ai";
import { describe, expect, test } from "vitest";
import type { GenerationContext } from "../../durable/state.ts";
import { InvariantError } from "../../errors.ts";
import { assistant } from "../../testing/harness/fakes.ts";
import { classify, type Settling } from "./classify.ts";

const context: GenerationContext = {
  stepId: "step",
  triggerEntryId: "prompt",
  configuration: { model: { provider: "fake", modelId: "small" }, thinkingLevel: "off", activeToolNames: [] },
  streamOptions: {},
  retryPolicy: { maxAttempts: 2, baseDelayMs: 100, maxAgentDelayMs: 60_000 },
  overflowRecoveryUsed: false,
};
const handle: DeferredHandle = { provider: "fake", modelId: "small", api: "fake-api", id: "h" };
const call = { type: "toolCall" as const, id: "c", name: "look", arguments: {} };
const retryable = assistant("part", { stopReason: "error", errorMessage: "503 service unavailable" });

function settling(message: Settling["message"], changes: Partial<Settling> = {}): Settling {
  return {
    message,
    cancelled: false,
    interrupted: false,
    asked: { provider: "fake", modelId: "small", api: "fake-api" },
    generation: { context, attempt: 1 },
    poll: 0,
    now: 1_000,
    ...changes,
  };
}

describe("[D5] classification", () => {
  test.each([
    ["stop", assistant("all")],
    ["error", retryable],
    ["a tool call", assistant("", { stopReason: "toolUse", content: [call] })],
    ["a deferred handle", assistant("", { stopReason: "deferred", deferred: handle })],
  ])("[F1] a landed cancel wins over %s", (_name, message) => {
    const decision = classify(settling(message, { cancelled: true }));
    expect(decision).toMatchObject({ kind: "cancelled", message: { stopReason: "aborted" } });
    expect(decision.message.deferred).toBeUndefined();
    expect(decision.message.content).toEqual(message.content);
  });

  test("a valid handle suspends with the number of the poll", () => {
    const message = assistant("", { stopReason: "deferred", deferred: handle });

    expect(classify(settling(message, { poll: 3 }))).toMatchObject({ kind: "suspend", poll: 3 });
  });

  test.each([
    ["no handle", undefined],
    ["another provider", { ...handle, provider: "other" }],
    ["another model", { ...handle, modelId: "large" }],
    ["another API", { ...handle, api: "other" }],
  ])("a deferred response with %s is stored as a terminal error", (_name, deferred) => {
    const message = assistant("", { stopReason: "deferred", ...(deferred !== undefined && { deferred }) });
    const decision = classify(settling(message));
    expect(decision).toMatchObject({ kind: "fail", message: { stopReason: "error" } });
    expect(decision.message.deferred).toBeUndefined();
  });

  test("no handle belongs to a model whose API is not known", () => {
    const message = assistant("", { stopReason: "deferred", deferred: handle });
    const asked = { provider: "fake", modelId: "small", api: undefined };

    expect(classify(settling(message, { asked, poll: 1 }))).toMatchObject({ kind: "fail" });
  });

  test("[O4] a retryable error waits from now, by the captured policy", () => {
    expect(classify(settling(retryable))).toMatchObject({
      kind: "retry",
      generationContext: context,
      nextAttempt: 2,
      notBefore: 1_100,
    });
  });

  test("[O4] each attempt more waits longer, from the time of its settlement", () => {
    const patient = { ...context, retryPolicy: { ...context.retryPolicy, maxAttempts: 5 } };
    const delays = [1, 2, 3].map((attempt) => {
      const decision = classify(settling(retryable, { generation: { context: patient, attempt } }));
      return decision.kind === "retry" ? decision.notBefore - settling(retryable).now : 0;
    });

    expect(delays).toEqual([100, 200, 400]);
  });

  test("[E7] at the cap a retryable error is terminal", () => {
    const decision = classify(settling(retryable, { generation: { context, attempt: 2 } }));

    expect(decision).toMatchObject({ kind: "fail", error: { code: "attempts_exhausted" } });
  });

  test("an error that no retry mends is terminal", () => {
    const message = assistant("", { stopReason: "error", errorMessage: "invalid api key" });

    expect(classify(settling(message)).kind).toBe("fail");
  });

  test("[E7] an interruption is retryable whatever its text", () => {
    const message = assistant("", { stopReason: "error", errorMessage: "invalid api key" });

    expect(classify(settling(message, { interrupted: true })).kind).toBe("retry");
  });

  test("the error of a poll is terminal", () => {
    expect(classify(settling(retryable, { generation: undefined })).kind).toBe("fail");
  });

  test.each(["toolUse", "length", "stop"] as const)("calls under %s make a plan", (stopReason) => {
    const message = assistant("", { stopReason, content: [{ type: "text", text: "t" }, call] });

    expect(classify(settling(message))).toMatchObject({ kind: "tools", sourceIndexes: [1] });
  });

  test("tool use without a call is terminal", () => {
    expect(classify(settling(assistant("t", { stopReason: "toolUse" })))).toMatchObject({ kind: "fail" });
  });

  test.each(["stop", "length"] as const)("%s without calls finishes", (stopReason) => {
    expect(classify(settling(assistant("t", { stopReason }))).kind).toBe("finish");
  });

  test.each(["aborted", "pending"] as const)("%s while control is running is an invariant error", (stopReason) => {
    expect(() => classify(settling(assistant("t", { stopReason })))).toThrow(InvariantError);
  });
});
