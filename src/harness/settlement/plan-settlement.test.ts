/** The one transaction of a settlement (D1, D2). */
import type { AssistantMessage, AssistantMessageEvent } from "@earendil-works/pi-ai";
import { describe, expect, test } from "vitest";
import {
  branchTip,
  laneState,
  operationMeta,
  operationResult,
  operationState,
  pendingAssistantFrames,
} from "../../addresses/builtins.ts";
import { type EffectPending, type OperationState, pendingResponse } from "../../durable/state.ts";
import { deleteList, deleteValue, setValue, type Write } from "../../storage/contract/writes.ts";
import { activate, handle, suspend } from "../../testing/harness/deferred.ts";
import { assistant, beginning, done, openWorld, type World } from "../../testing/harness/fakes.ts";
import { RecordingStorage, toolCall } from "../../testing/harness/recording.ts";

type End = Partial<AssistantMessage>;

const unavailable: End = { stopReason: "error", errorMessage: "503 service unavailable" };
const badKey: End = { stopReason: "error", errorMessage: "bad key" };
const call = toolCall();

/** How a response ends, and where its operation goes. */
const ends: [string, End, OperationState["at"] | "end"][] = [
  ["success", { stopReason: "stop" }, "checkpoint"],
  ["success cut short", { stopReason: "length" }, "checkpoint"],
  ["a tool call", { stopReason: "toolUse", content: [call] }, "tools"],
  ["a tool call cut short", { stopReason: "length", content: [call] }, "tools"],
  ["tool use without a call", { stopReason: "toolUse", content: [] }, "end"],
  ["a provider error", badKey, "end"],
  ["a valid deferred response", { stopReason: "deferred", deferred: handle("h1") }, "deferred.suspended"],
  ["an invalid deferred response", { stopReason: "deferred", deferred: handle("h1", { provider: "other" }) }, "end"],
];

const opened = async () => {
  const storage = new RecordingStorage();
  return { storage, world: await openWorld({ retryPolicy: { maxAttempts: 2, baseDelayMs: 100 } }, storage) };
};

const streamed = (end: End): AssistantMessageEvent[] => [...beginning("hello"), done(assistant("hello", end))];

/** Accepts, and answers the request with these events. */
async function fresh(world: World, ...events: AssistantMessageEvent[]): Promise<string> {
  const { operationId } = await world.lane.accept({ prompt: "Hi" });
  await activate(world);
  await world.provider.last.push(...events);
  return operationId;
}

/** Suspends, and answers the poll with these events. */
async function polled(world: World, ...events: AssistantMessageEvent[]): Promise<string> {
  const operationId = await suspend(world);
  await activate(world, { permit: true });
  await world.provider.lastPoll.push(...events);
  return operationId;
}

/** The response that was settled last, and the one transaction that has its entry or its usage. */
function settled({ transactions }: RecordingStorage, operationId: string) {
  const inserts = (write: Write, { responseEntryId, usageId }: EffectPending): boolean =>
    (write.kind === "entry" && write.entry.id === responseEntryId) ||
    (write.kind === "usage" && write.row.id === usageId);
  const states = transactions.flat().filter((write) => isAt(write, operationState(operationId)));
  const intent = states
    .map(({ value }) => pendingResponse(value as OperationState))
    .findLast((state) => state !== undefined && transactions.flat().some((write) => inserts(write, state)));
  if (intent === undefined) throw new Error("No response was settled");
  const inserting = transactions.filter((writes) => writes.some((write) => inserts(write, intent)));
  expect(inserting).toHaveLength(1);
  return { intent, writes: inserting[0] ?? [] };
}

const isAt = (
  write: Write,
  { namespace, key }: { namespace: string; key: string },
): write is Extract<Write, { op: "set" }> =>
  write.kind === "value" && write.op === "set" && write.namespace === namespace && write.key === key;

/** A write without what it writes: two settlements have one form when these are equal. */
function form(writes: readonly Write[]): string[] {
  const words = (write: Write): string => {
    if (write.kind === "entry") return `insert entry ${write.entry.id} after ${write.entry.parentId}`;
    if (write.kind === "usage") return `insert usage ${write.row.id} of ${write.row.entryId}`;
    return `${write.op} ${write.kind} ${write.namespace} ${write.key}`;
  };
  return writes.map(words).sort();
}

/** D1, with the next state or with the end of the operation. */
function expectForm(storage: RecordingStorage, operationId: string, to: OperationState["at"] | "end"): void {
  const { intent, writes } = settled(storage, operationId);
  const { responseEntryId, usageId } = intent;
  const entry = writes.find((write) => write.kind === "entry");
  const parent = entry?.kind === "entry" ? entry.entry.parentId : undefined;
  const decision =
    to === "end"
      ? [
          deleteValue(operationMeta(operationId)),
          deleteValue(operationState(operationId)),
          setValue(operationResult(operationId), {} as never),
          setValue(laneState("main"), {} as never),
        ]
      : [setValue(operationState(operationId), {} as never)];
  expect(form(writes)).toEqual(
    [
      `insert entry ${responseEntryId} after ${parent}`,
      `insert usage ${usageId} of ${responseEntryId}`,
      ...form([
        setValue(branchTip("main"), responseEntryId),
        deleteList(pendingAssistantFrames(operationId, responseEntryId)),
        ...decision,
      ]),
    ].sort(),
  );
  expect(writes.find((write) => isAt(write, branchTip("main")))).toMatchObject({ value: responseEntryId });
  if (to !== "end") {
    expect(writes.find((write) => isAt(write, operationState(operationId)))).toMatchObject({ value: { at: to } });
  }
}

describe("[D1] [D2] a settlement is one transaction of one form", () => {
  test.each(ends)("of a fresh response: %s", async (_what, end, to) => {
    const { storage, world } = await opened();

    expectForm(storage, await fresh(world, ...streamed(end)), to);
  });

  test.each(ends)("of a poll: %s", async (_what, end, to) => {
    const { storage, world } = await opened();

    expectForm(storage, await polled(world, ...streamed(end)), to);
  });

  test("of an error that is retried, and of the same error of a poll, which is not", async () => {
    const { storage, world } = await opened();
    expectForm(storage, await fresh(world, ...streamed(unavailable)), "assistant.retry_wait");
    const second = await opened();
    expectForm(second.storage, await polled(second.world, ...streamed(unavailable)), "end");
  });

  test("of an error before the start, which left no frame", async () => {
    const { storage, world } = await opened();

    expectForm(storage, await fresh(world, done(assistant("", badKey))), "end");
  });

  test.each(["a fresh response", "a poll"])("of %s that was aborted", async (what) => {
    const { storage, world } = await opened();
    const events = beginning("hello");
    const operationId = await (what === "a poll" ? polled(world, ...events) : fresh(world, ...events));
    await world.lane.cancel();
    const { push } = what === "a poll" ? world.provider.lastPoll : world.provider.last;
    await push(done(assistant("hello", { stopReason: "aborted" })));

    expectForm(storage, operationId, "checkpoint");
  });

  test.each([
    ["interrupted", "assistant.retry_wait", fresh],
    ["interrupted and cancelled", "checkpoint", fresh],
    ["interrupted and cancelled, of a poll", "checkpoint", polled],
  ] as const)("[E5] of a response that was %s", async (what, to, stream) => {
    const { storage, world } = await opened();
    const operationId = await stream(world, ...beginning("hello"));
    const again = await openWorld({}, storage, world.clock);
    if (what !== "interrupted") await again.lane.cancel();
    await activate(again, { waitForRetry: false });
    expectForm(storage, operationId, to);
  });
});
