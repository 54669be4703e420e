/** What a session keeps of lanes whose operations have ended (E1). */
import { describe, expect, test } from "vitest";
import { laneState } from "../addresses/builtins.ts";
import { openHarness } from "../harness/harness.ts";
import { MemoryStorage } from "../storage/memory/memory.ts";
import { wrapStorage } from "../storage/wrap-storage.ts";
import { FakeProvider } from "../testing/harness/fakes.ts";
import { greatestIdle, KeptViews } from "./kept-views.ts";
import type { LaneView } from "./lane-view.ts";
import { Session } from "./session.ts";

const idle = (lane: string): LaneView => ({ lane }) as LaneView;
const open = (lane: string): LaneView => ({ lane, operation: {} }) as LaneView;
const names = (count: number) => Array.from({ length: count }, (_, index) => `lane ${index}`);

describe("[E1] views of lanes", () => {
  test("are kept of all lanes with an open operation, and of a bounded number of idle ones", () => {
    const views = new KeptViews();
    for (const lane of names(20_000)) {
      views.set(lane, open(lane));
      views.set(lane, idle(lane));
    }
    expect(views.size).toBe(greatestIdle);
    for (const lane of names(200)) views.set(lane, open(lane));
    expect(views.get("lane 0")).toEqual(open("lane 0"));
    expect(views.size).toBe(200 + greatestIdle);
  });

  test("are let go in the order in which the lanes changed last", () => {
    const views = new KeptViews();
    for (const lane of names(greatestIdle)) views.set(lane, idle(lane));
    views.set("lane 0", idle("lane 0"));
    views.set("one more", idle("one more"));
    expect([views.get("lane 0"), views.get("lane 1")]).toEqual([idle("lane 0"), undefined]);
  });
});

test("[E1] a lane that was let go is read again when it is asked for, and goes on", async () => {
  const inner = new MemoryStorage();
  const read: unknown[] = [];
  const storage = wrapStorage(inner, {
    getValue: (address) => {
      read.push(address);
      return inner.getValue(address);
    },
  });
  const options = { models: new FakeProvider(), model: { provider: "fake", modelId: "small" } };
  const harness = await openHarness({ session: new Session(storage), ...options });
  const first = await harness.lane("first");
  await first.snapshot();
  read.length = 0;
  for (const lane of names(greatestIdle)) await harness.lane(lane);
  await first.accept({ prompt: "Hi" });

  expect(read).toContainEqual(laneState("first"));
  expect((await first.snapshot()).operation).toMatchObject({ status: "open" });
  await harness.close();
});
