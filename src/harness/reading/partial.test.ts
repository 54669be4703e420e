/** The longest part of a frame list that can be reduced (B4). */
import type { AssistantMessageFrame } from "@earendil-works/pi-ai";
import { describe, expect, test } from "vitest";
import { pendingAssistantFrames } from "../../addresses/builtins.ts";
import { appendList } from "../../storage/contract/writes.ts";
import { MemoryStorage } from "../../storage/memory/memory.ts";
import { assistant } from "../../testing/harness/fakes.ts";
import { readPartial, reduceLongest } from "./partial.ts";

const start: AssistantMessageFrame = { type: "start", partial: assistant("", { stopReason: "pending" }) };
const open: AssistantMessageFrame = { type: "text_start", contentIndex: 0, content: { type: "text", text: "" } };
const delta = (text: string, contentIndex = 0): AssistantMessageFrame => ({
  type: "text_delta",
  contentIndex,
  delta: text,
});

describe("durable partial", () => {
  test("[E4] no frame gives no message and no damage", () => {
    expect(reduceLongest([])).toEqual({ message: undefined, damage: undefined });
  });

  test("[B4] a list without its start gives no message, and says so", () => {
    const { message, damage } = reduceLongest([open, delta("kept")]);

    expect(message).toBeUndefined();
    expect(damage).toContain("frame 1 of 2");
  });

  test("[B4] a refused list gives its longest reducible prefix and says so", () => {
    const partial = reduceLongest([start, open, delta("kept"), delta("lost", 7), delta("after")]);

    expect(partial.message?.content).toEqual([{ type: "text", text: "kept" }]);
    expect(partial.damage).toContain("frame 4 of 5");
  });

  test("[B4] frames without a start before them give nothing, and do not hang", () => {
    expect(reduceLongest([delta("x"), start]).message).toBeUndefined();
  });

  test("[E2] reads page after page, [I3] within a budget", async () => {
    const storage = new MemoryStorage();
    const address = pendingAssistantFrames("o", "r");
    const frames = [start, open, ...Array.from({ length: 2_500 }, () => delta("x"))];
    await storage.commit(frames.map((frame) => appendList(address, frame)));
    const read = <T>(query: (from: MemoryStorage) => Promise<T>) => query(storage);
    const whole = await readPartial(read as Parameters<typeof readPartial>[0], "o", "r");
    expect(whole).toMatchObject({ message: { content: [{ text: "x".repeat(2_500) }] }, damage: undefined });
    const cut = await readPartial(read as Parameters<typeof readPartial>[0], "o", "r", 1);
    expect(cut).toMatchObject({ message: { content: [{ text: "x".repeat(998) }] } });
    expect(cut.damage).toContain("more than 1 pages");
  });
});
