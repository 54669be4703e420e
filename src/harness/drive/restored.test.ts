/** A harness opened over what another left behind goes on from it, without a new request. */
import type { ToolCall } from "@earendil-works/pi-ai";
import { describe, expect, test } from "vitest";
import { stateOf } from "../../testing/harness/deferred.ts";
import { assistant, openWorld, quiet, types } from "../../testing/harness/fakes.ts";
import { streaming } from "../../testing/harness/streaming.ts";
import { interruptionWarning } from "./recovery.ts";

const retryPolicy = { maxAttempts: 2, baseDelayMs: 100 };

describe("recovery", () => {
  test("[E3] settles the committed partial under the old ids; [E6] without hook or request", async () => {
    const first = await openWorld({ retryPolicy });
    const { operationId } = await streaming(first);
    const state = await stateOf(first, operationId);
    let hooked = 0;
    const options = { retryPolicy, hooks: { afterResponse: () => void hooked++ as undefined } };
    const second = await openWorld(options, first.storage, first.clock);
    const restored = await second.lane.snapshot();
    expect(restored.operation).toMatchObject({
      at: "assistant.effect_pending",
      driven: false,
      streamingMessage: { content: [{ text: "hello" }] },
    });
    const outcome = await second.lane.activate({ waitForRetry: false });
    expect(outcome.kind).toBe("waiting");
    expect([second.provider.requests.length, hooked]).toEqual([0, 0]);
    const { transcript, operation } = await second.lane.snapshot();
    expect(transcript.at(-1)).toMatchObject({
      id: state?.at === "assistant.effect_pending" ? state.responseEntryId : undefined,
      message: { stopReason: "error", errorMessage: interruptionWarning, content: [{ text: "hello" }] },
    });
    expect(operation).not.toHaveProperty("streamingMessage");
    const tagged = second.events.filter((event) => "recovery" in event && event.recovery === true);
    expect(types(tagged)).toEqual(["message_start", "message_end", "entry_added", "usage"]);
  });

  test.each([
    ["begun", []],
    ["complete", ["end"]],
  ])("[N10] keeps a tool call that had %s, and plans and runs none: [E3] [E6]", async (_how, end) => {
    let ran = 0;
    const options = {
      retryPolicy,
      hooks: {
        runTool: () => {
          ran++;
          return Promise.resolve({ content: [] });
        },
      },
    };
    const first = await openWorld(options);
    const { operationId } = await first.lane.accept({ prompt: "Hi" });
    first.lane.activate().catch(() => {});
    await quiet();
    const call: ToolCall = { type: "toolCall", id: "call-1", name: "probe", arguments: {} };
    const partial = assistant("", { stopReason: "pending", content: [call] });
    await first.provider.last.push({ type: "start", partial }, { type: "toolcall_start", contentIndex: 0, partial });
    call.arguments = { n: 1 };
    await first.provider.last.push({ type: "toolcall_delta", contentIndex: 0, delta: '{"n":1', partial });
    if (end.length > 0)
      await first.provider.last.push({ type: "toolcall_end", contentIndex: 0, toolCall: call, partial });

    const second = await openWorld(options, first.storage, first.clock);
    expect((await second.lane.activate({ waitForRetry: false })).kind).toBe("waiting");

    const { transcript } = await second.lane.snapshot();
    const content = [{ type: "toolCall", id: "call-1", name: "probe", arguments: { n: 1 } }];
    expect(transcript.at(-1)).toMatchObject({ message: { stopReason: "error", content } });
    expect((await stateOf(second, operationId))?.at).toBe("assistant.retry_wait");
    expect(ran).toBe(0);
  });

  test("[F3] a restored cancelled effect ends aborted with its partial", async () => {
    const first = await openWorld({ retryPolicy });
    await streaming(first);
    await first.lane.cancel();
    const second = await openWorld({ retryPolicy }, first.storage, first.clock);
    expect(await second.lane.activate()).toMatchObject({ result: { status: "aborted" } });
    const { transcript } = await second.lane.snapshot();
    expect(transcript.at(-1)).toMatchObject({ message: { stopReason: "aborted", content: [{ text: "hello" }] } });
  });
});
