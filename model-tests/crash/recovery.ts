/** Recovers the session that a killed process left behind, and holds what comes of it against section E. */
import { isDeepStrictEqual } from "node:util";
import type { AssistantMessage, AssistantMessageFrame } from "@earendil-works/pi-ai";
import { reduceAssistantMessageFrames } from "@earendil-works/pi-ai/utils/assistant-message-frame";
import type { Storage } from "../../src/index.ts";
import { laneName } from "../adapters/adapter.ts";
import { compareWhole } from "../stores/read-whole.ts";
import { currentFrames, type DurableObservation, observeDurable, operationScalars } from "../world/durable.ts";
import { passThrough } from "../world/outside-store.ts";
import { scriptModel } from "../world/script.ts";
import type { Committed } from "./committed.ts";
import { harnessOver, JumpingClock, retryPolicy } from "./harness.ts";
import { ensure, Loss } from "./loss.ts";

/** Whether the death left a response that has to be recovered. */
export const isOrphaned = (committed: Committed): boolean => observeDurable(committed.durable).at === "effect_pending";

/**
 * Lets the reference recover an orphaned response: one synthetic settlement under the reserved ids, with the reduction of
 * the committed frames (E3 to E7, F3). Then once more, which must change nothing (E9).
 *
 * @param open opens a session file that nobody else needs.
 * @param after what was committed; what the recovery commits is added.
 * @throws {Loss}
 */
export async function checkRecovery(open: () => Promise<Storage>, after: Committed, nowMs: number): Promise<void> {
  const before = after.copy();
  const first = await recover(open, after, nowMs);
  // Of a cancelled operation the end follows, in a transaction of its own (D5).
  const expected = operationScalars(before.durable)?.cancelled === true ? 2 : 1;
  ensure(first === expected, `E5: the recovery made ${first} transactions, not ${expected}`);
  compareResponse(before, after);
  compareState(before, after);
  const second = await recover(open, after, nowMs);
  ensure(second === 0, `E9: a second recovery made ${second} transactions`);
}

/** Opens, activates without waiting for a retry, and closes. Answers how many transactions that made. */
async function recover(open: () => Promise<Storage>, committed: Committed, nowMs: number): Promise<number> {
  const store = await open();
  let transactions = 0;
  const storage = passThrough(store, async (writes, { seqs }) => {
    transactions++;
    committed.add(writes, seqs);
  });
  try {
    const harness = await harnessOver(storage, new JumpingClock(nowMs), noProvider);
    const lane = await harness.lane(laneName);
    ensure(transactions === 0, "E1: opening the session has changed it");
    if ((await lane.snapshot()).operation !== null) await lane.activate({ waitForRetry: false });
    await harness.close();
    await compareWhole(store, committed.durable, committed.places);
  } catch (error) {
    throw error instanceof Loss ? error : new Loss(`the recovery failed: ${(error as Error).message}`);
  } finally {
    await store.close();
  }
  return transactions;
}

const noRequest = (): never => {
  throw new Loss("E6: the recovery made a request");
};
const noProvider = {
  getModel: () => scriptModel,
  streamSimple: noRequest,
  streamDeferred: noRequest,
  cancelDeferred: noRequest,
};

function compareResponse(before: Committed, { durable }: Committed): void {
  const state = operationScalars(before.durable);
  const entry = durable.entries.at(-1);
  ensure(entry !== undefined && entry.id === state?.responseEntryId, "E5: the response is not under its reserved id");
  const { role, content, api, provider, model, stopReason, errorMessage, usage } = entry.message
    .value as AssistantMessage;
  const partial = partialOf(before);
  const identity = partial ?? { api: scriptModel.api, provider: scriptModel.provider, model: scriptModel.id };
  ensure(
    isDeepStrictEqual(content, partial?.content ?? []),
    "E3: the response is not the reduction of what was committed",
  );
  ensure(
    role === "assistant" && api === identity.api && provider === identity.provider && model === identity.model,
    "E3: the response lost its identity",
  );
  ensure(stopReason === (state.cancelled ? "aborted" : "error"), `E3: the response ends with "${stopReason}"`);
  ensure((errorMessage ?? "") !== "", "E3: the response does not say that it was interrupted");
  const row = durable.usage.at(-1);
  ensure(row?.id === state.usageId && row?.entryId === entry.id, "E5: the usage row is not under its reserved id");
  ensure(usage.totalTokens === 0 && isDeepStrictEqual(row.usage.value, usage), "E3: the usage is not zero");
  ensure(entry.parentId === before.durable.value("pi.branch.tip", laneName), "D1: the response is not at the tip");
}

/** pi-ai's own reducer over the frames that landed, read from the transactions and not from the store (B1). */
function partialOf({ durable }: Committed): AssistantMessage | undefined {
  return reduceAssistantMessageFrames(
    currentFrames(durable).map(({ element }) => element.value as AssistantMessageFrame),
  );
}

function compareState(before: Committed, { durable }: Committed): void {
  const { attempt, control } = observeDurable(before.durable);
  const expected: Partial<DurableObservation> =
    control === "cancelled"
      ? { at: "none", outcome: "aborted" }
      : attempt === retryPolicy.maxAttempts
        ? { at: "none", outcome: "failed" }
        : { at: "retry_wait", attempt: attempt + 1 };
  const found = observeDurable(durable);
  ensure(
    isDeepStrictEqual({ ...found, ...expected }, found),
    `E7: the operation is at "${found.at}", not "${expected.at}"`,
  );
  const { operationId, responseEntryId } = operationScalars(before.durable) ?? {};
  const frames = durable.list("pi.pending.assistant_frame", `${operationId}:${responseEntryId}`);
  ensure(frames.length === 0, "E5: the frames of the recovered response are still there");
  const tip = durable.value("pi.branch.tip", laneName);
  ensure(tip === responseEntryId, "D1: the tip is not the recovered response");
}
