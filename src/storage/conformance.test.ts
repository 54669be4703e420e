import type { Storage as PiStorage } from "@earendil-works/pi-agent-core/harness/session";
import { createStorageConformance } from "@earendil-works/pi-agent-core/harness/session/testing";
import { expect, test } from "vitest";
import { MemoryStorage } from "./memory.ts";

const cases = createStorageConformance(async () => {
  // The annotation is a check too: a store of ours is a store of theirs.
  const storage: PiStorage = new MemoryStorage();
  return { storage, [Symbol.asyncDispose]: async () => {} };
});

test("the published conformance cases are all here", () => {
  expect(cases).toHaveLength(21);
});

test.each(cases.map((one) => [`${one.group}: ${one.name}`, one] as const))("memory, %s", async (_name, one) => {
  await one.run();
});
