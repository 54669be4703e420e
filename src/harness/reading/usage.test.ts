/** Usage that cannot be read: it counts as zero, is reported, and never costs an answer (Q3). */
import type { Usage } from "@earendil-works/pi-ai";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { zeroUsage } from "../../storage/contract/usage-totals.ts";
import { MemoryStorage } from "../../storage/memory/memory.ts";
import { assistant, beginning, done } from "../../testing/harness/fakes.ts";
import { openScriptedAgent, responsesOf } from "../../testing/harness/scripted.ts";
import { begin, withConversation } from "../../testing/harness/summary.ts";
import { stores, temporaryFolder } from "../../testing/storage/stores.ts";
import { readUsage } from "./usage.ts";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

const read: Usage = { ...zeroUsage(), input: 3, output: 4, totalTokens: 7 };
const costing = (total: unknown): Usage => ({ ...read, cost: { ...read.cost, total: total as number } });
const nothing = zeroUsage();

/** What a gateway reports, what of it counts, and what is said of the rest. */
const cases: readonly (readonly [name: string, reported: unknown, counts: Usage, unread: string])[] = [
  ["missing", undefined, nothing, "input: undefined"],
  ["null", null, nothing, "input: undefined"],
  ["partial", { input: 3, output: 4, totalTokens: 7 }, read, "cost.total: undefined"],
  ["without a price", costing(null), read, "cost.total: null"],
  ["priced NaN", costing(Number.NaN), read, "cost.total: NaN"],
  ["infinite", { ...read, input: Number.POSITIVE_INFINITY }, { ...read, input: 0 }, "input: Infinity"],
  ["negative", { ...read, output: -4 }, { ...read, output: 0 }, "output: -4"],
  ["a text", { ...read, totalTokens: "7" }, { ...read, totalTokens: 0 }, "totalTokens: 7"],
  ["an object", { ...read, reasoning: {} }, { ...read, reasoning: 0 }, "reasoning: object"],
];

describe.each(stores)("over $name", (store) => {
  test.each(cases)("[Q3] an answer whose usage is %s completes its turn", async (_name, reported, counts, unread) => {
    const storage = await store.openIn(folder.path, () => 1);
    const usage = reported as Usage;
    const [start, ...rest] = beginning("hello");
    const events = [
      { ...start, partial: assistant("", { usage }) } as (typeof rest)[number],
      ...rest,
      done(assistant("hello", { usage })),
    ];
    const agent = await openScriptedAgent(storage, [events]);
    await agent.lane.accept({ prompt: "Hi" });

    expect(await agent.lane.activate()).toMatchObject({ result: { status: "completed" } });
    const [answer] = await responsesOf(agent.lane);
    expect(answer).toMatchObject({ content: [{ text: "hello" }], usage: counts });
    expect(answer?.diagnostics).toMatchObject([
      { type: "unreadable_usage", error: { message: expect.stringContaining(unread) } },
    ]);
    expect(agent.events.find(({ type }) => type === "usage")).toMatchObject({ row: { usage: counts } });
    await storage.close();
  });
});

test("[Q3] a usage that can be read is stored as it is, and nothing is said of it", () => {
  const full: Usage = { ...read, cacheWrite1h: 1, reasoning: 2 };
  expect(readUsage(full)).toEqual({ usage: full, unread: [] });
});

test("[Q3] a hook that returns an unreadable usage has its message used", async () => {
  const hooks = { afterResponse: () => assistant("better", { usage: costing(Number.NaN) }) };
  const answers = [[...beginning("hello"), done(assistant("hello"))]];
  const { lane } = await openScriptedAgent(new MemoryStorage(), answers, { hooks });
  await lane.accept({ prompt: "Hi" });
  await lane.activate();

  expect(await responsesOf(lane)).toMatchObject([{ content: [{ text: "better" }], usage: read }]);
});

test("[Q3] [H1] a summary whose usage cannot be read is made, and its usage row says what could not be read", async () => {
  const world = await withConversation();
  const { summary, request } = await begin(world);
  await request.push(done(assistant("In short: hello", { usage: costing(Number.NaN) })));

  expect(await summary).toMatchObject({ summary: "In short: hello", usage: read });
  expect(world.events.at(-1)).toMatchObject({ type: "usage", row: { details: { unread: ["cost.total: NaN"] } } });
});
