/** What a terminal transaction deletes (K4). */
import { describe, expect, test } from "vitest";
import { operationResult, pendingAssistantFrames } from "../addresses/builtins.ts";
import type { Write } from "../storage/contract/writes.ts";
import { activate, beginPoll, framesOf, pollOf, stateOf } from "../testing/harness/deferred.ts";
import { assistant, beginning, done, openWorld, type World } from "../testing/harness/fakes.ts";
import { RecordingStorage } from "../testing/harness/recording.ts";

type Places = { readonly namespace: string; readonly key: string };

const touches =
  ({ namespace, key }: Places, op: "set" | "delete") =>
  (write: Write) =>
    "namespace" in write && write.op === op && write.namespace === namespace && write.key === key;

/** The one transaction that wrote the result. */
function terminalOf({ transactions }: RecordingStorage, operationId: string): Write[] {
  const found = transactions.filter((writes) => writes.some(touches(operationResult(operationId), "set")));
  expect(found).toHaveLength(1);
  return found[0] ?? [];
}

function renamed({ provider }: World): void {
  if (provider.model !== undefined) provider.model = { ...provider.model, api: "another-api" };
}

function gone({ provider }: World): void {
  provider.model = undefined;
}

describe("[K4] the operation's own terminal transaction deletes the frame list", () => {
  test.each([
    ["is gone", gone, "unknown_model"],
    ["has another API", renamed, "invalid_deferred"],
  ] as const)("that an unknown poll left, when the model %s and no response is settled", async (_how, lose, code) => {
    const storage = new RecordingStorage();
    const first = await openWorld({}, storage);
    const { operationId, poll } = await beginPoll(first);
    await poll.push(...beginning("part"));
    const { responseEntryId } = await pollOf(first, operationId);
    expect(await framesOf(first, operationId, responseEntryId)).toBe(3);
    const second = await openWorld({}, storage, first.clock);
    lose(second);
    const { outcome } = await activate(second, { permit: true });
    expect(await outcome).toMatchObject({ result: { status: "failed", error: { code } } });
    expect(await framesOf(second, operationId, responseEntryId)).toBe(0);
    const frames = pendingAssistantFrames(operationId, responseEntryId);
    expect(terminalOf(storage, operationId).filter(touches(frames, "delete"))).toHaveLength(1);
  });

  test("of the response that it settles", async () => {
    const storage = new RecordingStorage();
    const world = await openWorld({}, storage);
    const { operationId } = await world.lane.accept({ prompt: "Hi" });
    const { outcome } = await activate(world);
    await world.provider.last.push(...beginning("part"));
    const state = await stateOf(world, operationId);
    const responseEntryId = state?.at === "assistant.effect_pending" ? state.responseEntryId : "";
    expect(await framesOf(world, operationId, responseEntryId)).toBe(3);
    await world.provider.last.push(done(assistant("part", { stopReason: "error", errorMessage: "bad key" })));
    expect(await outcome).toMatchObject({ result: { status: "failed" } });
    const frames = pendingAssistantFrames(operationId, responseEntryId);
    expect(terminalOf(storage, operationId).filter(touches(frames, "delete"))).toHaveLength(1);
    expect(await framesOf(world, operationId, responseEntryId)).toBe(0);
  });
});
