/** The provider that the benchmarks use gives as many frames as they count. */
import type { AssistantMessageEvent } from "@earendil-works/pi-ai";
import { AssistantMessageFrameEncoder } from "@earendil-works/pi-ai/utils/assistant-message-frame";
import { expect, test } from "vitest";
import { frameAt } from "../world/script.ts";
import { BurstStream, textRequest } from "./burst-stream.ts";

test("a stream gives as many frames as it was asked for, those that are appended elsewhere, and ends", async () => {
  const encoder = new AssistantMessageFrameEncoder();
  const frames = [];
  let last: AssistantMessageEvent | undefined;
  for await (const event of new BurstStream({ frames: 5, ends: true })) {
    const frame = encoder.encode(event);
    if (frame !== undefined) frames.push(frame);
    last = event;
  }
  expect(frames.slice(1)).toEqual([2, 3, 4, 5].map((position) => frameAt(textRequest, position)));
  expect(frames[0]).toMatchObject({ type: "start" });
  expect(last?.type).toBe("done");
});

test("a stream without an end falls silent and says so", async () => {
  const stream = new BurstStream({ frames: 2, ends: false });
  const iterator = stream[Symbol.asyncIterator]();
  expect((await iterator.next()).value?.type).toBe("start");
  expect((await iterator.next()).value?.type).toBe("text_start");
  void iterator.next();
  await stream.exhausted;
  expect(() => stream.endedAtMs).toThrow("has not come so far");
});
