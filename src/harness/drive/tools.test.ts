/** Tool batches, call by call, over crashes and cancels. */
import { getEventListeners } from "node:events";
import type { AssistantMessageEvent, ToolCall } from "@earendil-works/pi-ai";
import { describe, expect, test } from "vitest";
import { operationToolArgs, pendingEntry } from "../../addresses/builtins.ts";
import { activate, beginPoll, ready, stateOf } from "../../testing/harness/deferred.ts";
import {
  assistant,
  beginning,
  done,
  openWorld,
  ParkingStorage,
  quiet,
  type World,
} from "../../testing/harness/fakes.ts";
import type { HarnessOptions, RunToolInput, ToolOutcome } from "../options.ts";
import { toolErrors } from "../settlement/tool-result.ts";

const calls: ToolCall[] = ["c1", "c2"].map((id) => ({ type: "toolCall", id, name: `tool-${id}`, arguments: { id } }));
const said = (text: string): ToolOutcome => ({ content: [{ type: "text", text }] });

/** Runs that a test ends, in whatever order. */
function gated() {
  const runs: (RunToolInput & { end(outcome: unknown): Promise<void> })[] = [];
  const runTool = (input: RunToolInput) =>
    new Promise<ToolOutcome>((resolve) => {
      const end = async (outcome: unknown) => {
        resolve(outcome as ToolOutcome);
        await quiet();
      };
      runs.push({ ...input, end });
    });
  return { runs, hooks: { runTool } };
}

/** Counts what is run; the outcomes name the calls. */
function counting() {
  const runs: RunToolInput[] = [];
  const runTool = (input: RunToolInput) => {
    runs.push(input);
    return said(input.toolCallId);
  };
  return { runs, hooks: { runTool } };
}

function withCalls(stopReason: "toolUse" | "length"): AssistantMessageEvent[] {
  const content = [{ type: "text" as const, text: "I look" }, ...calls];
  return [...beginning("").slice(0, 1), done(assistant("", { stopReason, content }))];
}

/** Takes an operation to its tools. */
async function planned(options: Partial<HarnessOptions>, storage = new ParkingStorage()) {
  const world = await openWorld(options, storage);
  const { operationId } = await world.lane.accept({ prompt: "Hi" });
  const { outcome } = await activate(world);
  await world.provider.last.push(...withCalls("toolUse"));
  return { world, operationId, outcome };
}

/** Has a response with two calls settle, and crashes before its reply: no tool was started. */
async function settledOnly(stopReason: "toolUse" | "length") {
  const { runs, hooks } = counting();
  const first = await openWorld({ hooks });
  const { operationId } = await first.lane.accept({ prompt: "Hi" });
  await activate(first);
  const [start, end] = withCalls(stopReason);
  if (start === undefined || end === undefined) throw new Error("No events");
  await first.provider.last.push(start);
  first.storage.armed = true;
  await first.provider.last.push(end);
  await first.storage.crash(1);
  return { first, operationId, runs };
}

async function batchOf(world: World, operationId: string) {
  const state = await stateOf(world, operationId);
  if (state?.at !== "tools") throw new Error(`No tools are planned at "${state?.at}"`);
  return state.batch;
}

async function plannedIds(world: World, operationId: string): Promise<string[]> {
  return (await batchOf(world, operationId)).calls.map(({ resultEntryId }) => resultEntryId);
}

async function statuses(world: World, operationId: string): Promise<string[]> {
  return (await batchOf(world, operationId)).calls.map(({ status }) => status);
}

async function results(world: World) {
  const { transcript } = await world.lane.snapshot();
  return transcript.flatMap((entry) =>
    entry.type === "message" && entry.message.role === "toolResult" ? [{ id: entry.id, message: entry.message }] : [],
  );
}

const texts = async (world: World) =>
  (await results(world)).map(({ message: { content } }) => (content[0]?.type === "text" ? content[0].text : ""));

describe("[Q1] the calls of one response", () => {
  test("start only when their mark is durable, and the next behind it", async () => {
    const { runs, hooks } = gated();
    const first = await openWorld({ hooks });
    await first.lane.accept({ prompt: "Hi" });
    await activate(first);
    await first.provider.last.push(...withCalls("toolUse").slice(0, 1));
    first.storage.armed = true;
    await first.provider.last.push(...withCalls("toolUse").slice(1));
    await first.storage.land();
    expect(runs.map(({ toolCallId }) => toolCallId)).toEqual([]);
    await first.storage.land();
    expect(runs.map(({ toolCallId }) => toolCallId)).toEqual(["c1"]);
    await first.storage.land();
    expect(runs.map(({ toolCallId }) => toolCallId)).toEqual(["c1", "c2"]);
  });

  test("run side by side, each result durable when it comes, and the transcript keeps their order", async () => {
    const { runs, hooks } = gated();
    const { world, operationId, outcome } = await planned({ hooks });
    const ids = await plannedIds(world, operationId);
    expect(await statuses(world, operationId)).toEqual(["effect_pending", "effect_pending"]);
    await runs[1]?.end(said("second"));
    expect(await statuses(world, operationId)).toEqual(["effect_pending", "outcome_ready"]);
    expect(await world.storage.getValue(pendingEntry(ids[1] ?? ""))).toMatchObject({
      value: { payload: { role: "toolResult", toolCallId: "c2" } },
    });
    expect(await results(world)).toEqual([]);
    await runs[0]?.end(said("first"));
    expect(await texts(world)).toEqual(["first", "second"]);
    expect((await results(world)).map(({ id }) => id)).toEqual(ids);
    expect(await world.storage.getValue(pendingEntry(ids[1] ?? ""))).toBeUndefined();
    await world.provider.last.push(...ready("seen"));
    expect(await outcome).toMatchObject({ result: { status: "completed" } });
  });

  test("leave nothing on the signal that a runner is given", async () => {
    const { runs, hooks } = gated();
    await planned({ hooks });
    expect(runs.map(({ signal }) => getEventListeners(signal, "abort").length)).toEqual([0, 0]);
  });

  test("run one after the other when the policy says so", async () => {
    const { runs, hooks } = gated();
    const { world } = await planned({ hooks, toolPolicy: { execution: "sequential" } });
    expect(runs).toHaveLength(1);
    await runs[0]?.end(said("first"));
    expect(runs).toHaveLength(2);
    expect(await texts(world)).toEqual(["first"]);
  });

  test("keep their finished results over a crash; one of unknown outcome is not made again", async () => {
    const { runs, hooks } = gated();
    const { world, operationId } = await planned({ hooks });
    const { turnId } = await batchOf(world, operationId);
    await runs[1]?.end(said("paid"));
    const { runs: again, hooks: later } = counting();
    const second = await openWorld({ hooks: later }, world.storage, world.clock);
    await activate(second);
    expect(again).toEqual([]);
    expect(await texts(second)).toEqual([toolErrors.interrupted, "paid"]);
    expect((await results(second)).map(({ message }) => message.isError)).toEqual([true, false]);
    expect(second.provider.requests).toHaveLength(1);
    expect(await second.storage.getValue(operationToolArgs(operationId, turnId, 1))).toBeUndefined();
  });

  test("are made again when their tool is repeatable, counted, and not more often than the policy allows", async () => {
    const toolPolicy = { repeatable: ["tool-c1"], maxRuns: 2 };
    const { runs, hooks } = gated();
    const { world, operationId } = await planned({ hooks, toolPolicy });
    await runs[1]?.end(said("paid"));
    const second = await openWorld({ hooks, toolPolicy }, world.storage, world.clock);
    await activate(second);
    expect(runs.map(({ toolCallId, run }) => [toolCallId, run])).toEqual([
      ["c1", 1],
      ["c2", 1],
      ["c1", 2],
    ]);
    expect(await batchOf(second, operationId)).toMatchObject({ calls: [{ replay: "safe", runs: 2 }, {}] });
    const third = await openWorld({ hooks, toolPolicy }, world.storage, world.clock);
    await activate(third);
    expect(runs).toHaveLength(3);
    expect(await texts(third)).toEqual([toolErrors.interrupted, "paid"]);
  });

  test("are not made again when their tool is no longer repeatable", async () => {
    const { runs, hooks } = gated();
    const { world } = await planned({ hooks, toolPolicy: { repeatable: ["tool-c1", "tool-c2"] } });
    const second = await openWorld({ hooks }, world.storage, world.clock);
    await activate(second);
    expect(runs).toHaveLength(2);
    expect(await texts(second)).toEqual([toolErrors.interrupted, toolErrors.interrupted]);
  });

  test("[F4] keep finished results when they are cancelled; what runs is aborted, and its late answer is dropped", async () => {
    const { runs, hooks } = gated();
    const { world, operationId, outcome } = await planned({ hooks });
    const { turnId } = await batchOf(world, operationId);
    await runs[1]?.end(said("paid"));
    await world.lane.cancel();
    expect(runs[0]?.signal.aborted).toBe(true);
    expect(await outcome).toMatchObject({ result: { status: "aborted" } });
    expect(await texts(world)).toEqual([toolErrors.cancelledAmid, "paid"]);
    await runs[0]?.end(said("late"));
    expect(await texts(world)).toEqual([toolErrors.cancelledAmid, "paid"]);
    expect(await world.storage.getValue(operationToolArgs(operationId, turnId, 1))).toBeUndefined();
  });

  test("[F1] do not start once a cancel was called, and say so", async () => {
    const { first, operationId } = await settledOnly("toolUse");
    const { runs, hooks } = counting();
    const second = await openWorld({ hooks }, first.storage, first.clock);
    void second.lane.cancel();
    expect(await second.lane.activate()).toMatchObject({ result: { operationId, status: "aborted" } });
    expect(runs).toEqual([]);
    expect(await texts(second)).toEqual([toolErrors.cancelledBefore, toolErrors.cancelledBefore]);
  });

  test("[F4] that finished before a crash keep their results when the operation was cancelled", async () => {
    const { runs, hooks } = gated();
    const { world } = await planned({ hooks });
    await runs[1]?.end(said("paid"));
    const second = await openWorld({ hooks }, world.storage, world.clock);
    await second.lane.cancel();
    expect(await second.lane.activate()).toMatchObject({ result: { status: "aborted" } });
    expect(await texts(second)).toEqual([toolErrors.cancelledAmid, "paid"]);
  });

  test.each([
    ["is no JSON", { content: [{ type: "text", text: "x" }], details: { at: Number.NaN } }],
    ["nests deeper than any store keeps", { content: [], details: nested(1_100) }],
    ["has no content", { text: "x" }],
    ["is nothing", undefined],
  ])("[Q2] cost one result when one %s", async (_how, bad) => {
    const { runs, hooks } = gated();
    const { world } = await planned({ hooks });
    await runs[0]?.end(bad);
    await runs[1]?.end(said("good"));
    expect((await results(world)).map(({ message }) => message.isError)).toEqual([true, false]);
    expect((await texts(world))[1]).toBe("good");
    expect(world.provider.requests).toHaveLength(2);
    expect(world.events.some(({ type }) => type === "fault")).toBe(false);
  });

  test("[Q2] cost one result when a runner throws, which is reported", async () => {
    const runTool = ({ toolCallId }: RunToolInput) => {
      if (toolCallId === "c1") throw new Error("no network");
      return said("good");
    };
    const { world } = await planned({ hooks: { runTool } });
    expect(await texts(world)).toEqual(["The tool runner failed: no network", "good"]);
    expect(world.events).toContainEqual(expect.objectContaining({ type: "listener_error", kind: "hook" }));
  });

  test("are refused without a mark when the harness runs no tools", async () => {
    const { world } = await planned({});
    expect(await texts(world)).toEqual([toolErrors.noRunner, toolErrors.noRunner]);
  });

  test.each([{ maxRuns: 0 }, { maxRuns: 1.5 }, { execution: "sideways" as "parallel" }])(
    "have a policy that is refused when it is %j",
    async (toolPolicy) => {
      await expect(openWorld({ toolPolicy })).rejects.toThrow(TypeError);
    },
  );
});

function nested(levels: number): unknown {
  let inner: unknown = [];
  for (let level = 1; level < levels; level++) inner = [inner];
  return inner;
}

describe("a complete response with tool calls", () => {
  test("[N10] makes one plan, which a crash before the first tool leaves as it is", async () => {
    const { first, operationId, runs } = await settledOnly("toolUse");
    const ids = await plannedIds(first, operationId);
    expect([runs.length, new Set(ids).size]).toEqual([0, 2]);
    const { runs: ran, hooks } = counting();
    const second = await openWorld({ hooks }, first.storage, first.clock);
    const { outcome } = await activate(second);
    expect(ran).toMatchObject(ids.map((resultEntryId, index) => ({ toolCallId: calls[index]?.id, resultEntryId })));
    expect((await results(second)).map(({ id }) => id)).toEqual(ids);
    await second.provider.last.push(...ready("seen"));
    expect(await outcome).toMatchObject({ result: { status: "completed" } });
    expect(ran).toHaveLength(2);
  });

  test("[X14] whose results landed is not run again after a crash", async () => {
    const { world, operationId } = await planned({ hooks: counting().hooks });
    expect((await stateOf(world, operationId))?.at).toBe("assistant.effect_pending");
    const { runs, hooks: later } = counting();
    const third = await openWorld({ hooks: later }, world.storage, world.clock);
    await activate(third);

    expect(runs).toEqual([]);
    expect(await texts(third)).toEqual(["c1", "c2"]);
  });
});

describe("[D5] a response that ran out of tokens amid its calls", () => {
  test.each(["without a crash", "after a crash before the results"])(
    "gets one error result per call and has none executed, %s",
    async (how) => {
      const { runs, hooks } = counting();
      let world = await openWorld({ hooks });
      let ids: string[] | undefined;
      if (how === "without a crash") {
        await world.lane.accept({ prompt: "Hi" });
        await activate(world);
        await world.provider.last.push(...withCalls("length"));
      } else {
        const { first, operationId, runs: before } = await settledOnly("length");
        ids = await plannedIds(first, operationId);
        expect(before).toEqual([]);
        world = await openWorld({ hooks }, first.storage, first.clock);
        await activate(world);
      }
      const stored = await results(world);
      expect(stored.map(({ message }) => [message.toolCallId, message.isError])).toEqual([
        ["c1", true],
        ["c2", true],
      ]);
      if (ids !== undefined) expect(stored.map(({ id }) => id)).toEqual(ids);
      expect(runs).toEqual([]);
      expect(world.provider.last.context.messages.at(-1)).toMatchObject({ role: "toolResult", isError: true });
    },
  );
});

describe("[N10] [E6] a complete call of an interrupted poll", () => {
  async function interrupted() {
    const first = await openWorld();
    const { operationId, poll } = await beginPoll(first);
    const [call] = calls;
    if (call === undefined) throw new Error("No call");
    const partial = assistant("", { stopReason: "pending", content: [call] });
    await poll.push(
      { type: "start", partial },
      { type: "toolcall_start", contentIndex: 0, partial },
      { type: "toolcall_end", contentIndex: 0, toolCall: call, partial },
    );
    const { runs, hooks } = counting();
    return { second: await openWorld({ hooks }, first.storage, first.clock), operationId, runs };
  }

  test("is stored and not run when the poll was cancelled", async () => {
    const { second, runs } = await interrupted();
    await second.lane.cancel();
    expect(await second.lane.activate()).toMatchObject({ result: { status: "aborted" } });
    const { transcript } = await second.lane.snapshot();
    expect(transcript.at(-1)).toMatchObject({ message: { stopReason: "aborted", content: [calls[0]] } });
    expect(runs).toEqual([]);
  });

  test("is neither stored nor run when the poll is replaced", async () => {
    const { second, runs } = await interrupted();
    const { outcome } = await activate(second, { permit: true });
    await second.provider.lastPoll.push(...ready("all"));
    expect(await outcome).toMatchObject({ result: { status: "completed" } });
    const { transcript } = await second.lane.snapshot();
    expect(transcript.at(-1)).toMatchObject({ message: { content: [{ type: "text", text: "all" }] } });
    expect(transcript).toHaveLength(3);
    expect(runs).toEqual([]);
  });
});
