/** Content that no store keeps, from hooks and prompts. */
import { expect, test } from "vitest";
import { assistant, beginning, done, openWorld, quiet } from "../../testing/harness/fakes.ts";

test("[D3] what a hook makes of a response is reported and left out when it is no JSON", async () => {
  const broken = () => assistant("rewritten", { errorMessage: Number.NaN as never });
  const world = await openWorld({ hooks: { afterResponse: broken } });
  await world.lane.accept({ prompt: "Hi" });
  const activation = world.lane.activate();
  await quiet();
  await world.provider.last.push(...beginning("hello"), done(assistant("hello")));

  expect(await activation).toMatchObject({ kind: "settled", result: { status: "completed" } });
  expect((await world.lane.snapshot()).transcript.at(-1)).toMatchObject({ message: { content: [{ text: "hello" }] } });
  expect(world.events).toContainEqual(expect.objectContaining({ type: "listener_error", kind: "hook" }));
});

test("[Q2] a prompt that nests deeper than any store keeps is refused, and the lane stays usable", async () => {
  let deep: unknown = "x";
  for (let level = 0; level < 1_100; level++) deep = [deep];
  const { lane, harness } = await openWorld();
  const prompt = [{ role: "user", content: deep, timestamp: 1 }] as unknown as Parameters<
    typeof lane.accept
  >[0]["prompt"];

  await expect(lane.accept({ prompt })).rejects.toMatchObject({ code: "storage_rejected", reason: "too_deep" });
  expect(harness.fault).toBeUndefined();
  await lane.accept({ prompt: "Hi" });
});
