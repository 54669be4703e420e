/** A stream that ends while a tool call is open has not made that call (Q5). */
import type { AssistantMessageEvent, ToolCall } from "@earendil-works/pi-ai";
import { describe, expect, test } from "vitest";
import { activate } from "../../testing/harness/deferred.ts";
import { assistant, done, openWorld } from "../../testing/harness/fakes.ts";

const callOf = (given: ToolCall["arguments"], id = "c1"): ToolCall => ({
  type: "toolCall",
  id,
  name: "remove",
  arguments: given,
});

/** A stream whose call has got half of its arguments. */
function cutOff(): AssistantMessageEvent[] {
  const partial = assistant("", { stopReason: "pending", content: [callOf({ path: "/" })] });
  return [
    { type: "start", partial },
    { type: "toolcall_start", contentIndex: 0, partial },
    { type: "toolcall_delta", contentIndex: 0, delta: '{"path":"/', partial },
  ];
}

/** Drives one response that ends like this. */
async function driven(events: readonly AssistantMessageEvent[], maxAttempts = 1) {
  const ran: unknown[] = [];
  const runTool = (call: { arguments: unknown }) => {
    ran.push(call.arguments);
    return { content: [] };
  };
  const world = await openWorld({ hooks: { runTool }, retryPolicy: { maxAttempts } });
  await world.lane.accept({ prompt: "Hi" });
  const { outcome } = await activate(world);
  await world.provider.last.push(...events);
  return { world, outcome, ran };
}

describe("[Q5] a stream that ends while a tool call is open", () => {
  test.each(["toolUse", "stop", "deferred"] as const)(
    "is an error and makes no call, although it says %s",
    async (stopReason) => {
      const { world, outcome, ran } = await driven([
        ...cutOff(),
        done(assistant("", { stopReason, content: [callOf({ path: "/" })] })),
      ]);
      expect(await outcome).toMatchObject({ result: { status: "failed", error: { code: "attempts_exhausted" } } });
      expect(ran).toEqual([]);
      expect((await world.lane.snapshot()).transcript.at(-1)).toMatchObject({
        message: { stopReason: "error", errorMessage: expect.stringContaining('"remove"'), content: [{ id: "c1" }] },
      });
    },
  );

  test("is tried again, as far as the policy goes", async () => {
    const { world } = await driven(
      [...cutOff(), done(assistant("", { stopReason: "toolUse", content: [callOf({})] }))],
      2,
    );
    await world.clock.set(2_000);
    expect(world.provider.requests).toHaveLength(2);
  });

  test("makes none of its other calls either", async () => {
    const content = [callOf({ path: "/" }), callOf({ path: "/tmp" }, "c2")];
    const { ran } = await driven([...cutOff(), done(assistant("", { stopReason: "toolUse", content }))]);
    expect(ran).toEqual([]);
  });

  test("is an answer when it has dropped the call", async () => {
    const { outcome } = await driven([...cutOff(), done(assistant("never mind"))]);
    expect(await outcome).toMatchObject({ result: { status: "completed" } });
  });
});

test("[Q5] a call that has ended is made", async () => {
  const toolCall = callOf({ path: "/tmp" });
  const partial = assistant("", { stopReason: "pending", content: [toolCall] });
  const { ran } = await driven([
    ...cutOff(),
    { type: "toolcall_end", contentIndex: 0, toolCall, partial },
    done(assistant("", { stopReason: "toolUse", content: [toolCall] })),
  ]);
  expect(ran).toEqual([{ path: "/tmp" }]);
});
