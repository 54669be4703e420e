/** What a fault leaves behind is a whole prefix, from which a later process recovers (K2, section E). */
import { isDeepStrictEqual } from "node:util";
import type { AssistantMessage } from "@earendil-works/pi-ai";
import { reduceAssistantMessageFrames } from "@earendil-works/pi-ai/utils/assistant-message-frame";
import { expect } from "vitest";
import { operationState, pendingAssistantFrames } from "../../addresses/builtins.ts";
import { type EffectPending, type OperationState, pendingResponse } from "../../durable/state.ts";
import type { LaneSnapshot } from "../../harness/calls/snapshot.ts";
import { interruptionWarning } from "../../harness/drive/recovery.ts";
import { openHarness } from "../../harness/harness.ts";
import type { Lane } from "../../harness/lane.ts";
import { Session } from "../../session/session.ts";
import { zeroUsage } from "../../storage/contract/usage-totals.ts";
import type { Write } from "../../storage/contract/writes.ts";
import { MemoryStorage } from "../../storage/memory/memory.ts";
import { assistant, FakeProvider, ManualClock } from "../harness/fakes.ts";
import { type OpenStore, wholeContentOf } from "../maintenance/whole-content.ts";
import { answer, wholeAnswer } from "./answer.ts";
import { Journal } from "./journal.ts";
import { committedAt, idsOf, retryPolicy, startMs } from "./streaming.ts";

/** Opens the session that was left behind, on a healthy disk. */
export type Reopen = () => Promise<OpenStore>;

/** What a process handed to the store before it ended, and how much of it was replied. */
export interface HandedOver {
  readonly operationId: string;
  readonly transactions: readonly (readonly Write[])[];
  readonly acknowledged: number;
}

/**
 * Requires what is left to be a whole prefix of what was handed over, with all that was acknowledged, and a later process
 * to recover from it as from the same prefix in memory (K2, section E). Answers how many transactions have landed.
 */
export async function checkWhatIsLeft(reopen: Reopen, handedOver: HandedOver): Promise<number> {
  const store = await reopen();
  const { memory, landed } = await committedPrefix(store, handedOver);
  const left = await leftIn(memory, handedOver.operationId);
  const first = await startProcess(store, "second");
  await recover(first, left);
  const recovered = await wholeContentOf(first.store);
  await first.close();
  const second = await startProcess(await reopen(), "third");
  await expectRecovered(second, left);
  expect(await wholeContentOf(second.store)).toEqual(recovered);
  await goOn(second, left);
  await second.close();
  return landed;
}

/** How many transactions have landed, as above, without a recovery. */
export async function landedOf(reopen: Reopen, handedOver: HandedOver): Promise<number> {
  const store = await reopen();
  const { landed } = await committedPrefix(store, handedOver);
  await store.close();
  return landed;
}

/** The session in memory after the transactions that have landed. */
async function committedPrefix(
  store: OpenStore,
  { transactions, acknowledged }: HandedOver,
): Promise<{ memory: MemoryStorage; landed: number }> {
  const found = await wholeContentOf(store);
  const memory = new MemoryStorage({ now: () => committedAt });
  for (const [index, writes] of transactions.entries()) {
    if (index >= acknowledged && isDeepStrictEqual(await wholeContentOf(memory), found))
      return { memory, landed: index };
    await memory.commit([...writes]);
  }
  expect(found, `no prefix with the ${acknowledged} acknowledged transactions`).toEqual(await wholeContentOf(memory));
  return { memory, landed: transactions.length };
}

/** An open operation, and what its committed frames say. */
interface Left {
  readonly state: OperationState;
  readonly partial: AssistantMessage | undefined;
}

async function leftIn(memory: MemoryStorage, operationId: string): Promise<Left | undefined> {
  const state = (await memory.getValue(operationState(operationId)))?.value;
  if (state === undefined) return undefined;
  const response = pendingResponse(state);
  if (response === undefined) return { state, partial: undefined };
  const frames = await memory.readList(pendingAssistantFrames(operationId, response.responseEntryId));
  return { state, partial: reduceAssistantMessageFrames(frames.map(({ value }) => value)) };
}

interface Process {
  readonly store: OpenStore;
  readonly journal: Journal;
  readonly provider: FakeProvider;
  readonly clock: ManualClock;
  readonly lane: Lane;
  close(): Promise<void>;
}

/** Opening a session changes nothing (E1). */
async function startProcess(store: OpenStore, name: string): Promise<Process> {
  const journal = new Journal(store);
  const provider = new FakeProvider();
  const clock = new ManualClock(startMs);
  const session = new Session(journal.storage, { clock, ids: idsOf(name) });
  const model = { provider: "fake", modelId: "small" };
  const harness = await openHarness({ session, models: provider, model, retryPolicy });
  const lane = await harness.lane("main");
  expect(journal.transactions).toEqual([]);
  return { store, journal, provider, clock, lane, close: () => harness.close() };
}

/** Recovers in one transaction, if there is anything to recover, and without a request. */
async function recover({ lane, journal, provider }: Process, left: Left | undefined): Promise<void> {
  const { operation } = await lane.snapshot();
  expect(operation?.at).toBe(left?.state.at);
  expect(operation?.streamingMessage).toEqual(left?.partial);
  if (left !== undefined) {
    const outcome = await lane.activate({ waitForRetry: false });
    expect(outcome.kind).toBe(isOrphaned(left) ? "waiting" : "settled");
  }
  expect(journal.transactions).toHaveLength(left === undefined ? 0 : 1);
  expect(provider.requests).toEqual([]);
}

const isOrphaned = ({ state }: Left): boolean => pendingResponse(state) !== undefined;

/** Requires the recovery to be complete, and another one to change nothing (E9). */
async function expectRecovered({ lane, store, journal }: Process, left: Left | undefined): Promise<void> {
  const snapshot = await lane.snapshot();
  if (left === undefined || !isOrphaned(left)) return expectCompleted(snapshot);
  const state = left.state as EffectPending;
  expect(snapshot.operation).toMatchObject({ at: "assistant.retry_wait", attempt: 2 });
  expect(snapshot.transcript.at(-1)).toMatchObject({ id: state.responseEntryId, message: interrupted(left.partial) });
  expect(await store.scanUsage({})).toMatchObject([
    { id: state.usageId, entryId: state.responseEntryId, usage: zeroUsage() },
  ]);
  const frames = pendingAssistantFrames(snapshot.operation?.id ?? "", state.responseEntryId);
  expect(await store.readList(frames)).toEqual([]);
  const notBefore = startMs + retryPolicy.baseDelayMs;
  expect(await lane.activate({ waitForRetry: false })).toEqual({ kind: "waiting", notBefore });
  expect(journal.transactions).toEqual([]);
}

/** The synthetic error over what was committed (E3), or over nothing (E4). */
function interrupted(partial: AssistantMessage | undefined): AssistantMessage {
  const base = partial ?? assistant("", { timestamp: startMs });
  return { ...base, usage: zeroUsage(), stopReason: "error", errorMessage: interruptionWarning };
}

/** Takes the operation to its end: its next attempt answers, and is not told of the interrupted one (E8). */
async function goOn({ lane, clock, provider }: Process, left: Left | undefined): Promise<void> {
  if (left === undefined || !isOrphaned(left)) return;
  await clock.set(startMs + retryPolicy.baseDelayMs);
  const requested = provider.nextRequest();
  const activation = lane.activate();
  const { context } = await requested;
  expect(context.messages).toMatchObject([{ role: "user", content: "Hi" }]);
  await provider.last.push(...wholeAnswer());
  expect(await activation).toMatchObject({ kind: "settled", result: { status: "completed" } });
  expectCompleted(await lane.snapshot());
}

function expectCompleted({ operation, transcript, lastResult }: LaneSnapshot): void {
  expect(operation).toBeNull();
  expect(lastResult?.status).toBe("completed");
  expect(transcript.at(-1)).toMatchObject({ message: answer });
}
