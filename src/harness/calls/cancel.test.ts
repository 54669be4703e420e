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
