/** The harness from accept to result, on one lane, when nobody interferes. */
import { describe, expect, test } from "vitest";
import { operationMeta, pendingAssistantFrames } from "../addresses/builtins.ts";
import { LaneBusy, NoOpenOperation, SessionInUse } from "../errors.ts";
import { stateOf } from "../testing/harness/deferred.ts";
import { assistant, beginning, done, openWorld, quiet, types } from "../testing/harness/fakes.ts";
import { streaming } from "../testing/harness/streaming.ts";
import { openHarness } from "./harness.ts";

const retryPolicy = { maxAttempts: 2, baseDelayMs: 100 };
const failure = assistant("", { stopReason: "error", errorMessage: "503 service unavailable" });

describe("a fresh stream", () => {
  test("[J1] runs in order and settles", async () => {
    const world = await openWorld();
    const { operationId, activation } = await streaming(world);
    await world.provider.last.push(done(assistant("hello")));
    const outcome = await activation;
    expect(outcome).toMatchObject({ kind: "settled", result: { operationId, status: "completed" } });
    expect(types(world.events)).toEqual([
      "operation_start",
      "entry_added",
      "message_start",
      "message_update",
      "message_update",
      "message_end",
      "entry_added",
      "usage",
      "operation_end",
    ]);
    const snapshot = await world.lane.snapshot();
    expect(snapshot.operation).toBeNull();
    expect(snapshot.lastResult).toEqual(outcome.kind === "settled" ? outcome.result : undefined);
    expect(snapshot.transcript.map((entry) => entry.type)).toEqual(["message", "message"]);
    expect(await world.lane.result(operationId)).toEqual(snapshot.lastResult);
  });

  test("[O2] nothing that the operation owned is left", async () => {
    const world = await openWorld();
    const { operationId, activation } = await streaming(world);
    const state = await stateOf(world, operationId);
    const responseId = state?.at === "assistant.effect_pending" ? state.responseEntryId : "";
    expect(await world.storage.readList(pendingAssistantFrames(operationId, responseId))).toHaveLength(3);
    await world.provider.last.push(done(assistant("hello")));
    await activation;
    expect(await world.storage.readList(pendingAssistantFrames(operationId, responseId))).toEqual([]);
    expect(await world.storage.getValue(operationMeta(operationId))).toBeUndefined();
    expect(await stateOf(world, operationId)).toBeUndefined();
  });

  test("[O1] several messages of a prompt stand one behind the other, and the answer behind the last", async () => {
    const world = await openWorld();
    const messages = ["a", "b", "c"].map((content) => ({ role: "user" as const, content, timestamp: 1 }));
    await world.lane.accept({ prompt: messages });
    const activation = world.lane.activate();
    await quiet();
    for (const event of beginning("hello")) await world.provider.last.push(event);
    await world.provider.last.push(done(assistant("hello")));
    await activation;
    const { transcript } = await world.lane.snapshot();

    expect(transcript.map(({ parentId }) => parentId)).toEqual([null, ...transcript.slice(0, -1).map(({ id }) => id)]);
    expect(transcript.slice(0, 3)).toMatchObject(messages.map((message) => ({ message })));
  });

  test("[D3] the entry is what the hook made of the message", async () => {
    const world = await openWorld({ hooks: { afterResponse: ({ message }) => ({ ...message, model: "rewritten" }) } });
    const { activation } = await streaming(world);
    await world.provider.last.push(done(assistant("hello")));
    await activation;
    const { transcript } = await world.lane.snapshot();

    expect(transcript.at(-1)).toMatchObject({ message: { model: "rewritten" } });
  });

  test("[J4] a hook that throws is reported and changes nothing", async () => {
    const world = await openWorld({ hooks: { afterResponse: () => Promise.reject(new Error("hook")) } });
    const { activation } = await streaming(world);
    await world.provider.last.push(done(assistant("hello")));

    expect(await activation).toMatchObject({ result: { status: "completed" } });
    expect(world.events).toContainEqual(expect.objectContaining({ type: "listener_error", kind: "hook" }));
  });

  test("[J2] a setup error runs the hook and has no message_start", async () => {
    let hooked = 0;
    const world = await openWorld({ hooks: { afterResponse: () => void hooked++ as undefined } });
    await world.lane.accept({ prompt: "Hi" });
    const activation = world.lane.activate();
    await quiet();
    await world.provider.last.push(done(assistant("", { stopReason: "error", errorMessage: "bad key" })));

    expect(await activation).toMatchObject({ result: { status: "failed", error: { code: "provider_error" } } });
    expect(hooked).toBe(1);
    expect(types(world.events)).not.toContain("message_start");
  });

  test("[O1] a busy lane refuses, [O3] activations join, [O3] one harness a session", async () => {
    const world = await openWorld();
    const { activation } = await streaming(world);
    await expect(world.lane.accept({ prompt: "again" })).rejects.toThrow(LaneBusy);
    const joined = world.lane.activate();
    await world.provider.last.push(done(assistant("hello")));
    expect(await joined).toEqual(await activation);
    expect(world.provider.requests).toHaveLength(1);
    await expect(world.lane.activate()).rejects.toThrow(NoOpenOperation);
    await expect(world.lane.cancel()).rejects.toThrow(NoOpenOperation);
    const { session, provider } = world;
    const second = openHarness({ session, models: provider, model: { provider: "fake", modelId: "small" } });
    await expect(second).rejects.toThrow(SessionInUse);
  });
});

describe("retry", () => {
  test("[O4] waits for the clock and then requests again; [E8] leaves the error out of the context", async () => {
    const world = await openWorld({ retryPolicy });
    await world.lane.accept({ prompt: "Hi" });
    const activation = world.lane.activate();
    await quiet();
    await world.provider.last.push(done(failure));
    expect(world.events.at(-1)).toMatchObject({ type: "retry_scheduled", attempt: 2, notBefore: 1_100 });
    await world.clock.set(1_099);
    expect(world.provider.requests).toHaveLength(1);
    await world.clock.set(1_100);
    expect(world.provider.requests).toHaveLength(2);
    expect(world.provider.last.context.messages).toHaveLength(1);
    await world.provider.last.push(done(failure));
    expect(await activation).toMatchObject({ result: { status: "failed", error: { code: "attempts_exhausted" } } });
  });

  test("[O4] answers waiting when asked not to wait", async () => {
    const world = await openWorld({ retryPolicy });
    await world.lane.accept({ prompt: "Hi" });
    const activation = world.lane.activate({ waitForRetry: false });
    await quiet();
    await world.provider.last.push(done(failure));

    expect(await activation).toEqual({ kind: "waiting", notBefore: 1_100 });
    expect(await world.lane.activate({ waitForRetry: false })).toEqual({ kind: "waiting", notBefore: 1_100 });
  });

  test("[F4] a cancel in retry wait ends the operation without a response", async () => {
    const world = await openWorld({ retryPolicy });
    await world.lane.accept({ prompt: "Hi" });
    const activation = world.lane.activate();
    await quiet();
    await world.provider.last.push(done(failure));

    expect(await world.lane.cancel()).toMatchObject({ newlyRequested: true });
    expect(await activation).toMatchObject({ result: { status: "aborted" } });
    expect(world.provider.requests).toHaveLength(1);
  });
});

describe("tools", () => {
  const call = { type: "toolCall" as const, id: "c1", name: "look", arguments: { at: 1 } };

  test("[Q1] the next request sees the results", async () => {
    const world = await openWorld({
      hooks: { runTool: () => ({ content: [{ type: "text", text: "seen" }] }) },
    });
    await world.lane.accept({ prompt: "Hi" });
    const activation = world.lane.activate();
    await quiet();
    const [start] = beginning("");
    if (start === undefined) throw new Error("no start");
    await world.provider.last.push(start, done(assistant("", { stopReason: "toolUse", content: [call] })));
    expect(world.provider.requests).toHaveLength(2);
    expect(world.provider.last.context.messages.map(({ role }) => role)).toEqual(["user", "assistant", "toolResult"]);
    await world.provider.last.push(start, done(assistant("seen it")));
    expect(await activation).toMatchObject({ result: { status: "completed" } });
  });

  test("[D5] a length response executes none of its calls", async () => {
    let ran = 0;
    const world = await openWorld({
      hooks: {
        runTool: () => {
          ran++;
          return { content: [] };
        },
      },
    });
    await world.lane.accept({ prompt: "Hi" });
    void world.lane.activate();
    await quiet();
    const [start] = beginning("");
    if (start === undefined) throw new Error("no start");
    await world.provider.last.push(start, done(assistant("", { stopReason: "length", content: [call] })));

    expect(ran).toBe(0);
    expect(world.provider.last.context.messages.at(-1)).toMatchObject({ role: "toolResult", isError: true });
  });
});

describe("deferred", () => {
  const handle = { provider: "fake", modelId: "small", api: "fake-api", id: "h" };

  test("[D5] a valid handle suspends, and [F4] a cancel there ends aborted", async () => {
    const world = await openWorld();
    const { activation } = await streaming(world);
    await world.provider.last.push(done(assistant("", { stopReason: "deferred", deferred: handle })));
    expect(await activation).toEqual({ kind: "suspended", handle, poll: 0 });
    await world.lane.cancel();
    expect(await world.lane.activate()).toMatchObject({ result: { status: "aborted" } });
  });
});
