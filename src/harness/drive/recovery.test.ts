/** The response that a recovery makes up (E3, E4, B4). */
import { describe, expect, test } from "vitest";
import type { AssistantEffectPending } from "../../durable/state.ts";
import { zeroUsage } from "../../storage/contract/usage-totals.ts";
import { assistant } from "../../testing/harness/fakes.ts";
import { runSettingsOf } from "../state/scope.ts";
import { interruptedMessage, interruptionWarning } from "./recovery.ts";

const state: AssistantEffectPending = {
  at: "assistant.effect_pending",
  control: { status: "running" },
  settings: runSettingsOf({}),
  latestAssistantEntryId: null,
  generationContext: {
    stepId: "s",
    triggerEntryId: "t",
    configuration: { model: { provider: "fake", modelId: "small" }, thinkingLevel: "off", activeToolNames: [] },
    streamOptions: {},
    retryPolicy: { maxAttempts: 1, baseDelayMs: 0, maxAgentDelayMs: 0 },
    overflowRecoveryUsed: false,
  },
  attempt: 1,
  responseEntryId: "r",
  usageId: "u",
  intendedOutputLimit: 1,
  contextWindow: 1,
  api: "fake-api",
};

describe("the synthetic response", () => {
  test("[E3] keeps content and identity, and counts nothing", () => {
    const partial = assistant("part", { stopReason: "pending", responseId: "id", usage: { ...zeroUsage(), input: 9 } });

    expect(interruptedMessage(state, { message: partial, damage: undefined }, 77)).toEqual({
      ...partial,
      usage: zeroUsage(),
      stopReason: "error",
      errorMessage: interruptionWarning,
    });
  });

  test("[E4] without a start frame is empty, from the captured identity", () => {
    expect(interruptedMessage(state, { message: undefined, damage: undefined }, 77)).toEqual(
      assistant("", { stopReason: "error", errorMessage: interruptionWarning, timestamp: 77 }),
    );
  });

  test("[B4] says when frames were damaged", () => {
    const message = interruptedMessage(state, { message: assistant("part"), damage: "frame 3" }, 77);

    expect(message.errorMessage).toContain("Damaged frames: frame 3.");
    expect(message.diagnostics).toMatchObject([{ type: "damaged_frames", timestamp: 77 }]);
  });
});
