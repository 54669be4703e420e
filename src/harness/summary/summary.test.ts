/** Summaries of an idle lane (H1). */
import { describe, expect, test, vi } from "vitest";
import { branchTip, laneConfig } from "../../addresses/builtins.ts";
import type { LaneConfiguration } from "../../durable/operation.ts";
import { LaneBusy, LaneMoved, NoOpenOperation } from "../../errors.ts";
import { insertEntry, insertUsage, setValue } from "../../storage/contract/writes.ts";
import { beginning, openWorld, quiet, types } from "../../testing/harness/fakes.ts";
import {
  type BegunSummary,
  begin,
  converse,
  openSpied,
  type SpiedWorld,
  summaryAborted,
  summaryDone,
  summaryFailed,
  summaryUsage,
  withConversation,
} from "../../testing/harness/summary.ts";

describe("a summary", () => {
  test("[H1] is one transaction: entry on the summarized tip, usage, new tip", async () => {
    const world = await withConversation();
    const before = await world.lane.snapshot();
    const { summary, request } = await begin(world);
    await request.push(summaryDone);
    const entry = await summary;
    // The provider may go on changing what it gave.
    expect(entry.usage).not.toBe(summaryUsage);
    const { seq: _seq, timestamp: _timestamp, ...inserted } = entry;
    expect(inserted).toEqual({
      id: entry.id,
      type: "branch_summary",
      parentId: before.tipId,
      fromId: before.tipId,
      summary: "In short: hello",
      usage: summaryUsage,
      fromHook: false,
    });
    const row = { id: expect.any(String), usage: summaryUsage, entryId: entry.id, adjustment: false };
    expect(world.storage.commits).toEqual([
      [insertEntry(inserted), insertUsage(row), setValue(branchTip("main"), entry.id)],
    ]);
    const after = await world.lane.snapshot();
    expect(after).toMatchObject({ tipId: entry.id, operation: null });
    expect(after.transcript).toEqual([...before.transcript, entry]);
  });

  test("[I5] a watcher gets the entry and the usage, [H1] and no message event", async () => {
    const world = await withConversation();
    const watch = await world.lane.watch();
    const watched: string[] = [];
    watch.start((event) => void watched.push(event.type));
    const { summary, request } = await begin(world);
    await request.push(summaryDone);
    const entry = await summary;
    await quiet();

    expect(watched).toEqual(["entry_added", "usage"]);
    expect(types(world.events)).toEqual(["entry_added", "usage"]);
    expect(world.events[0]).toEqual({ type: "entry_added", lane: "main", entry });
    expect(world.events[1]).toMatchObject({ row: { entryId: entry.id, usage: summaryUsage, seq: entry.seq + 1 } });
  });

  test("[I1] a snapshot meanwhile shows neither a partial nor an operation", async () => {
    const world = await withConversation();
    await begin(world);
    const { operation, transcript } = await world.lane.snapshot();

    expect(operation).toBeNull();
    expect(transcript).toHaveLength(2);
  });

  test("asks with the conversation, the system prompt and the instructions", async () => {
    const world = await withConversation({ systemPrompt: "Be brief" });
    const { request } = await begin(world, { instructions: "List the decisions" });
    expect(request.context.systemPrompt).toBe("Be brief");
    expect(request.context.messages).toMatchObject([
      { role: "user", content: "Hi" },
      { role: "assistant", content: [{ type: "text", text: "hello" }] },
      { role: "user", content: "List the decisions" },
    ]);
    // Providers may normalise what they are given in place.
    expect(request.context.messages.filter(Object.isFrozen)).toEqual([]);
  });

  test("asks for a summary when there are no instructions", async () => {
    const world = await withConversation();
    const { request } = await begin(world);

    expect(request.context.messages.at(-1)).toMatchObject({ content: expect.stringContaining("Summarize") });
  });

  test("asks with the thinking level of the lane", async () => {
    const { storage, clock, lane } = await withConversation();
    const config = (await storage.getValue(laneConfig(lane.name)))?.value as LaneConfiguration;
    await storage.commit([setValue(laneConfig(lane.name), { ...config, thinkingLevel: "high" })]);
    const world = await openWorld({}, storage, clock);
    const asked = vi.spyOn(world.provider, "streamSimple");
    await begin(world);

    expect(asked).toHaveBeenCalledWith(
      expect.anything(),
      expect.anything(),
      expect.objectContaining({ reasoning: "high" }),
    );
  });

  test("[P5] is told to the model in later requests, after a reopen too", async () => {
    const first = await withConversation();
    const { summary, request } = await begin(first);
    await request.push(summaryDone);
    const { timestamp } = await summary;
    const second = await openWorld({}, first.storage, first.clock);
    await second.lane.accept({ prompt: "Go on" });
    second.lane.activate().catch(() => {});
    await quiet();
    const { messages } = second.provider.last.context;

    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "user"]);
    expect(messages[2]).toMatchObject({ content: expect.stringContaining("In short: hello"), timestamp });
  });
});

/** Every way that a summary can go on from its begun stream. */
const courses: Record<string, (world: SpiedWorld, begun: BegunSummary, abort: AbortController) => Promise<void>> = {
  completed: async (_world, { request }) => request.push(summaryDone),
  failed: async (_world, { request }) => request.push(summaryFailed),
  "aborted by the provider": async (_world, { request }) => request.push(summaryAborted),
  "aborted by the caller": async (_world, { request }, abort) => {
    abort.abort();
    await request.push(summaryAborted);
  },
  closed: async (world, { request }) => {
    await world.harness.close();
    await request.push(summaryDone);
  },
  "broken by the provider": async (_world, { request }) => request.push(...beginning("again")),
  crashed: async (world) => {
    const { lane } = await openWorld({}, world.storage, world.clock);
    await expect(lane.activate()).rejects.toThrow(NoOpenOperation);
  },
};

describe("a summary leaves no trace of its stream", () => {
  test("[N11] the spies see the frames and messages of an ordinary response", async () => {
    const world = await openSpied();
    await converse(world);

    expect(world.storage.frameWrites.length).toBeGreaterThan(1);
    expect(messageEvents(world)).toEqual(["message_start", "message_update", "message_update", "message_end"]);
  });

  test.each(Object.entries(courses))(
    "[N11] no write ever touches a frame list, [H1] no message event is told: %s",
    async (name, takeCourse) => {
      const world = await withConversation();
      const before = await world.lane.snapshot();
      const abort = new AbortController();
      await takeCourse(world, await begin(world, { signal: abort.signal }), abort);
      expect(world.storage.frameWrites).toEqual([]);
      expect(messageEvents(world)).toEqual([]);
      expect(world.storage.commits).toHaveLength(name === "completed" ? 1 : 0);
      if (name === "completed" || name === "closed") return;
      const reopened = await openWorld({}, world.storage, world.clock);
      expect(await reopened.lane.snapshot()).toEqual(before);
    },
  );

  function messageEvents(world: SpiedWorld): string[] {
    return types(world.events).filter((type) => type.startsWith("message_"));
  }
});

describe("a summary among others", () => {
  test("[O1] a busy lane refuses it, and nothing is asked", async () => {
    const world = await withConversation();
    const asked = world.provider.requests.length;
    await world.lane.accept({ prompt: "again" });

    await expect(world.lane.summarize()).rejects.toThrow(LaneBusy);
    expect(world.provider.requests).toHaveLength(asked);
  });

  test("an accept that lands meanwhile is not held up, and the summary is refused at its turn", async () => {
    const world = await withConversation();
    const { summary, request } = await begin(world);
    world.storage.armed = true;
    const accepted = world.lane.accept({ prompt: "again" });
    await request.push(summaryDone);
    expect(world.storage.parked).toHaveLength(1);
    await world.storage.land();
    const { operationId } = await accepted;
    await expect(summary).rejects.toMatchObject({ code: "lane_busy", operationId });
    expect(world.storage.commits).toHaveLength(1);
  });

  test("an operation that came and went makes it stale", async () => {
    const world = await withConversation();
    const { tipId: summarizedTipId } = await world.lane.snapshot();
    const { summary, request } = await begin(world);
    await converse(world);
    const before = world.storage.commits.length;
    await request.push(summaryDone);
    const { tipId } = await world.lane.snapshot();

    await expect(summary).rejects.toMatchObject({ code: "lane_moved", lane: "main", summarizedTipId, tipId });
    expect(world.storage.commits).toHaveLength(before);
  });

  test("of two at a time the first to end stands", async () => {
    const world = await withConversation();
    const slow = await begin(world);
    const fast = await begin(world);
    await fast.request.push(summaryDone);
    await slow.request.push(summaryDone);
    const { id } = await fast.summary;

    await expect(slow.summary).rejects.toThrow(LaneMoved);
    expect((await world.lane.snapshot()).tipId).toBe(id);
  });

  test("it waits for no listener", async () => {
    const world = await withConversation();
    world.harness.on(() => new Promise<void>(() => {}));
    const { summary, request } = await begin(world);
    await request.push(summaryDone);

    expect((await summary).summary).toBe("In short: hello");
  });
});
