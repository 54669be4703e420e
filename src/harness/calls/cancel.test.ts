/** A cancel while the response streams, before its request, and while tools run. */
import { describe, expect, test } from "vitest";
import { assistant, beginning, done, openWorld, quiet } from "../../testing/harness/fakes.ts";
import { streaming } from "../../testing/harness/streaming.ts";

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

  test("[F1] listeners are told that the end was requested", async () => {
    const world = await openWorld();
    const { operationId } = await streaming(world);
    await world.lane.cancel();

    expect(world.events).toContainEqual({ type: "operation_cancel", lane: "main", operationId });
  });

  test("[F5] a cancel that is called while another is under way joins it", async () => {
    const world = await openWorld();
    const { operationId } = await streaming(world);
    world.storage.armed = true;
    const first = world.lane.cancel();
    const [second, named] = [world.lane.cancel(), world.lane.cancel({ operationId })];
    await quiet();
    expect(world.storage.parked).toHaveLength(1);
    await world.storage.land();

    expect(await first).toEqual({ operationId, newlyRequested: true });
    expect(await second).toEqual({ operationId, newlyRequested: false });
    world.storage.armed = false;
    expect(await named).toEqual({ operationId, newlyRequested: false });
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
    const world = await openWorld({ hooks: { runTool: () => new Promise(() => {}) } });
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

describe("[Q7] a Stop that comes late", () => {
  const prompt = { prompt: "Hi" };

  test("names an operation that has ended, and does not meet the one that is open now", async () => {
    const world = await openWorld();
    const first = await world.lane.accept(prompt);
    await world.lane.cancel();
    await world.lane.activate();
    const { activation } = await streaming(world);

    const { operationId } = first;
    await expect(world.lane.cancel(first)).rejects.toMatchObject({ code: "operation_not_open", operationId });

    expect(world.provider.last.signal?.aborted).toBe(false);
    await world.provider.last.push(done(assistant("hello")));
    expect(await activation).toMatchObject({ result: { status: "completed" } });
  });

  test("holds back nothing while it waits for its refusal", async () => {
    let hooked = 0;
    const world = await openWorld({ hooks: { afterResponse: () => void hooked++ as undefined } });
    await world.lane.accept(prompt);
    world.storage.armed = true;
    const activation = world.lane.activate();
    await quiet();
    const late = world.lane.cancel({ operationId: "another" });
    await expect(late).rejects.toMatchObject({ code: "operation_not_open", operationId: "another" });
    world.storage.armed = false;
    await world.storage.land();

    expect(world.provider.requests).toHaveLength(1);
    await world.provider.last.push(...beginning("hello"), done(assistant("hello")));
    expect(await activation).toMatchObject({ result: { status: "completed" } });
    expect(hooked).toBe(1);
  });

  test("is refused at its turn when the operation that it names ended before it", async () => {
    const world = await openWorld();
    const operation = await world.lane.accept(prompt);
    world.storage.armed = true;
    const finalized = world.session.finalize("main", operation.operationId, { status: "aborted" });
    const accepted = world.lane.accept(prompt);
    const late = world.lane.cancel(operation);
    late.catch(() => {});
    world.storage.armed = false;
    await world.storage.land();
    await Promise.all([finalized, accepted]);

    await expect(late).rejects.toMatchObject({ code: "operation_not_open" });
    const activation = world.lane.activate();
    await quiet();
    await world.provider.last.push(...beginning("hello"), done(assistant("hello")));
    expect(await activation).toMatchObject({ result: { status: "completed" } });
  });

  test("of an idle lane is refused, named or not, and the next turn runs as any other", async () => {
    const world = await openWorld();
    await expect(world.lane.cancel()).rejects.toMatchObject({ code: "no_open_operation" });
    await expect(world.lane.cancel({ operationId: "gone" })).rejects.toMatchObject({ code: "operation_not_open" });
    const { activation } = await streaming(world);
    await world.provider.last.push(done(assistant("hello")));

    expect(await activation).toMatchObject({ result: { status: "completed" } });
  });

  test("cancels the operation that it names", async () => {
    const world = await openWorld();
    const operation = await world.lane.accept(prompt);
    expect(await world.lane.cancel(operation)).toMatchObject({
      newlyRequested: true,
      operationId: operation.operationId,
    });
    expect(await world.lane.activate()).toMatchObject({ result: { status: "aborted" } });
  });
});
