/** The harness from accept to result, on one lane. */
import type { ToolCall } from "@earendil-works/pi-ai";
import { describe, expect, test } from "vitest";
import { operationMeta, operationState, pendingAssistantFrames } from "../addresses/builtins.ts";
import { Closed, HarnessFault, LaneBusy, NoOpenOperation, OperationNotOpen, SessionInUse } from "../errors.ts";
import { Session } from "../session/session.ts";
import { assistant, beginning, done, openWorld, quiet, types, type World } from "../testing/harness/fakes.ts";
import { interruptionWarning } from "./drive/recovery.ts";
import { openHarness } from "./harness.ts";

const retryPolicy = { maxAttempts: 2, baseDelayMs: 100 };
const failure = assistant("", { stopReason: "error", errorMessage: "503 service unavailable" });

/** Accepts, activates, and streams a beginning. */
async function streaming(world: World) {
  const { operationId } = await world.lane.accept({ prompt: "Hi" });
  const activation = world.lane.activate();
  activation.catch(() => {});
  await quiet();
  await world.provider.last.push(...beginning("hello"));
  return { operationId, activation };
}

async function stateOf(world: World, operationId: string) {
  return (await world.storage.getValue(operationState(operationId)))?.value;
}

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
        runTools: () => {
          ran++;
          return Promise.resolve([]);
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

describe("cancel", () => {
  test("[F2] a live stream settles with its own aborted message, without the hook", async () => {
    let hooked = 0;
    const world = await openWorld({ hooks: { afterResponse: () => void hooked++ as undefined } });
    const { activation } = await streaming(world);
    await world.lane.cancel();
    expect(await world.lane.cancel()).toMatchObject({ newlyRequested: false });
    expect(world.provider.last.signal?.aborted).toBe(true);
    await world.provider.last.push(done(assistant("hello", { stopReason: "aborted" })));
    expect(await activation).toMatchObject({ result: { status: "aborted" } });
    expect(hooked).toBe(0);
  });

  test("[F4] a cancel while the intent is queued makes no request", async () => {
    const world = await openWorld();
    await world.lane.accept({ prompt: "Hi" });
    world.storage.armed = true;
    const activation = world.lane.activate();
    await quiet();
    const cancel = world.lane.cancel();
    await world.storage.land();
    await world.storage.land();
    await cancel;
    world.storage.armed = false;
    await world.storage.land();

    expect(await activation).toMatchObject({ result: { status: "aborted" } });
    expect(world.provider.requests).toHaveLength(0);
  });

  test("[F4] in tools, unfinished calls get an aborted result and nobody waits for the runner", async () => {
    const world = await openWorld({ hooks: { runTools: () => new Promise(() => {}) } });
    await world.lane.accept({ prompt: "Hi" });
    const activation = world.lane.activate();
    await quiet();
    const call = { type: "toolCall" as const, id: "c1", name: "look", arguments: {} };
    const [start] = beginning("");
    if (start !== undefined) await world.provider.last.push(start);
    await world.provider.last.push(done(assistant("", { stopReason: "toolUse", content: [call] })));
    await world.lane.cancel();
    expect(await activation).toMatchObject({ result: { status: "aborted" } });
    const { transcript } = await world.lane.snapshot();
    expect(transcript.at(-1)).toMatchObject({ message: { role: "toolResult", toolCallId: "c1", isError: true } });
  });
});

describe("tools", () => {
  const call = { type: "toolCall" as const, id: "c1", name: "look", arguments: { at: 1 } };

  test("results settle in one transaction and the next request sees them", async () => {
    const world = await openWorld({
      hooks: { runTools: ({ calls }) => calls.map(() => ({ content: [{ type: "text", text: "seen" }] })) },
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
        runTools: () => {
          ran++;
          return [];
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

describe("close, fault and finalization", () => {
  test("[K1] close rejects what is open, waits for what the store has, and leaves effect_pending", async () => {
    const world = await openWorld();
    const { operationId, activation } = await streaming(world);
    world.storage.armed = true;
    await world.provider.last.push(done(assistant("hello")));
    const closing = world.harness.close();
    await expect(activation).rejects.toThrow(Closed);
    await expect(world.lane.snapshot()).rejects.toThrow(Closed);
    expect(world.provider.last.signal?.aborted).toBe(true);
    expect((await stateOf(world, operationId))?.at).toBe("assistant.effect_pending");
    await world.storage.land();
    await closing;
    expect(types(world.events).filter((type) => type === "entry_added")).toHaveLength(1);
    await expect(world.lane.accept({ prompt: "late" })).rejects.toThrow(Closed);
  });

  test("[C6] a failed append faults before the hook, with one event", async () => {
    let hooked = 0;
    const world = await openWorld({ hooks: { afterResponse: () => void hooked++ as undefined } });
    await world.lane.accept({ prompt: "Hi" });
    const activation = world.lane.activate();
    activation.catch(() => {});
    await quiet();
    world.storage.armed = true;
    await world.provider.last.push(...beginning("hello"), done(assistant("hello")));
    expect(world.storage.parked).toHaveLength(3);
    world.storage.parked[0]?.fail(new Error("disk full"));
    await expect(activation).rejects.toThrow(HarnessFault);
    await quiet();
    expect(hooked).toBe(0);
    expect(types(world.events).filter((type) => type === "fault")).toHaveLength(1);
    expect(world.harness.fault).toMatchObject({ code: "harness_fault", cause: { message: "disk full" } });
    await expect(world.lane.cancel()).rejects.toThrow(HarnessFault);
  });

  test("[B3] a protocol defect faults with its place", async () => {
    const world = await openWorld();
    await world.lane.accept({ prompt: "Hi" });
    const activation = world.lane.activate();
    activation.catch(() => {});
    await quiet();
    await world.provider.last.push(done(assistant("hello")));

    await expect(activation).rejects.toMatchObject({ cause: { code: "provider_protocol", where: "event 0 (done)" } });
  });

  test("[K3] finalization beats a running hook, whose value is dropped (X9)", async () => {
    let release: () => void = () => {};
    const hold = new Promise<undefined>((resolve) => {
      release = () => resolve(undefined);
    });
    const world = await openWorld({ hooks: { afterResponse: () => hold } });
    const { operationId, activation } = await streaming(world);
    await world.provider.last.push(done(assistant("hello")));
    const result = await world.session.finalize("main", operationId, { status: "failed" });
    expect(await activation).toEqual({ kind: "settled", result });
    expect(world.provider.last.signal?.aborted).toBe(true);
    release();
    await quiet();
    expect(types(world.events).filter((type) => type === "operation_end")).toHaveLength(1);
    expect(types(world.events)).not.toContain("message_end");
    expect((await world.lane.snapshot()).transcript).toHaveLength(1);
    const again = world.session.finalize("main", operationId, { status: "aborted" });
    await expect(again).rejects.toThrow(OperationNotOpen);
  });

  test("[K3] an append behind a finalization is stale and re-creates nothing (R4)", async () => {
    const world = await openWorld();
    const { operationId } = await streaming(world);
    const state = await stateOf(world, operationId);
    const responseId = state?.at === "assistant.effect_pending" ? state.responseEntryId : "";
    world.storage.armed = true;
    const finalized = world.session.finalize("main", operationId, { status: "aborted" });
    await world.provider.last.push(...beginning("more").slice(2));
    expect(world.storage.parked).toHaveLength(1);
    await world.storage.land();
    await finalized;
    expect(world.storage.parked).toHaveLength(0);
    expect(await world.storage.readList(pendingAssistantFrames(operationId, responseId))).toEqual([]);
    expect(world.harness.fault).toBeUndefined();
  });

  test("[K3] finalization needs no harness", async () => {
    const first = await openWorld();
    const { operationId } = await streaming(first);
    const offline = new Session(first.storage, { clock: first.clock });
    const result = await offline.finalize("main", operationId, { status: "aborted" });
    expect(result).toMatchObject({ operationId, status: "aborted" });
    const second = await openWorld({}, first.storage, first.clock);
    expect(await second.lane.snapshot()).toMatchObject({ operation: null, lastResult: result });
  });
});
