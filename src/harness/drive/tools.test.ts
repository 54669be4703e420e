/** Tool batches, over crashes and cancels. */
import type { AssistantMessageEvent, ToolCall } from "@earendil-works/pi-ai";
import { describe, expect, test } from "vitest";
import { activate, beginPoll, ready, stateOf } from "../../testing/harness/deferred.ts";
import { assistant, beginning, done, openWorld, type World } from "../../testing/harness/fakes.ts";
import type { RunToolsInput, ToolOutcome } from "../options.ts";

const calls: ToolCall[] = ["c1", "c2"].map((id) => ({ type: "toolCall", id, name: "look", arguments: { id } }));

/** Counts what is run; the outcomes name the calls. */
function counting() {
  const runs: RunToolsInput["calls"][] = [];
  const runTools = (input: RunToolsInput): ToolOutcome[] => {
    runs.push(input.calls);
    return input.calls.map(({ toolCallId }) => ({ content: [{ type: "text", text: toolCallId }] }));
  };
  return { runs, hooks: { runTools } };
}

function withCalls(stopReason: "toolUse" | "length"): AssistantMessageEvent[] {
  const content = [{ type: "text" as const, text: "I look" }, ...calls];
  return [...beginning("").slice(0, 1), done(assistant("", { stopReason, content }))];
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

async function plannedIds(world: World, operationId: string): Promise<string[]> {
  const state = await stateOf(world, operationId);
  if (state?.at !== "tools") throw new Error(`No tools are planned at "${state?.at}"`);
  return state.batch.calls.map(({ resultEntryId }) => resultEntryId);
}

async function results(world: World) {
  const { transcript } = await world.lane.snapshot();
  return transcript.flatMap((entry) =>
    entry.type === "message" && entry.message.role === "toolResult" ? [{ id: entry.id, message: entry.message }] : [],
  );
}

describe("a complete response with tool calls", () => {
  test("[N10] makes one plan, which a crash before the first tool leaves as it is", async () => {
    const { first, operationId, runs } = await settledOnly("toolUse");
    const ids = await plannedIds(first, operationId);
    expect([runs.length, new Set(ids).size]).toEqual([0, 2]);
    const { runs: ran, hooks } = counting();
    const second = await openWorld({ hooks }, first.storage, first.clock);
    const { outcome } = await activate(second);
    const asked = ids.map((resultEntryId, index) => ({ toolCallId: calls[index]?.id, resultEntryId }));
    expect(ran).toMatchObject([asked]);
    expect((await results(second)).map(({ id }) => id)).toEqual(ids);
    await second.provider.last.push(...ready("seen"));
    expect(await outcome).toMatchObject({ result: { status: "completed" } });
    expect(ran).toHaveLength(1);
  });

  test("[X14] whose results landed is not run again after a crash", async () => {
    const { first, operationId } = await settledOnly("toolUse");
    const ids = await plannedIds(first, operationId);
    const { hooks } = counting();
    const second = await openWorld({ hooks }, first.storage, first.clock);
    first.storage.armed = true;
    await activate(second);
    await first.storage.crash(1);
    const { runs, hooks: later } = counting();
    const third = await openWorld({ hooks: later }, first.storage, first.clock);
    await activate(third);

    expect(runs).toEqual([]);
    expect((await results(third)).map(({ id }) => id)).toEqual(ids);
    expect(third.provider.requests).toHaveLength(1);
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
