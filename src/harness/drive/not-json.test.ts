/** Content that is no JSON, from providers and hooks. */
import { expect, test } from "vitest";
import { HarnessFault, type StorageRejected } from "../../errors.ts";
import { zeroUsage } from "../../storage/contract/usage-totals.ts";
import { assistant, beginning, done, openWorld, quiet } from "../../testing/harness/fakes.ts";

/** A price that a provider could not work out. */
const usage = { ...zeroUsage(), cost: { ...zeroUsage().cost, total: Number.NaN } };

test.each([
  ["the start", [{ ...beginning("hello")[0], partial: assistant("", { usage }) }]],
  ["the end", [...beginning("hello"), done(assistant("hello", { usage }))]],
])("[K2] [A4] %s of a stream that is no JSON faults the session with the reason", async (_part, events) => {
  const world = await openWorld();
  await world.lane.accept({ prompt: "Hi" });
  const activation = world.lane.activate();
  activation.catch(() => {});
  await quiet();
  await world.provider.last.push(...(events as Parameters<typeof world.provider.last.push>));

  const fault = (await activation.catch((error: unknown) => error)) as HarnessFault;
  expect(fault).toBeInstanceOf(HarnessFault);
  expect((fault.cause as StorageRejected).reason).toBe("not_json");
  expect(world.events.filter(({ type }) => type === "fault")).toHaveLength(1);
});

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
