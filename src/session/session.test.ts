/** One session for a storage, one harness for a session, and only the lane's own operation is ended (C5, K3, O3). */
import { describe, expect, test } from "vitest";
import { operationState } from "../addresses/builtins.ts";
import { OperationNotOpen, SessionInUse } from "../errors.ts";
import { openHarness } from "../harness/harness.ts";
import { MemoryStorage } from "../storage/memory/memory.ts";
import { wrapStorage } from "../storage/wrap-storage.ts";
import { FakeProvider, openWorld } from "../testing/harness/fakes.ts";
import { Session } from "./session.ts";

const options = () => ({ models: new FakeProvider(), model: { provider: "fake", modelId: "small" } });

describe("[C5, N12] a second session over one storage object", () => {
  test("is refused until the first one has closed", async () => {
    const storage = wrapStorage(new MemoryStorage(), { close: async () => {} });
    const first = new Session(storage);
    expect(() => new Session(storage)).toThrow(SessionInUse);
    expect(() => new Session(storage)).toThrow(SessionInUse);
    await first.close();

    expect(() => new Session(storage)).not.toThrow();
    expect(() => new Session(storage)).toThrow(SessionInUse);
  });

  test("is let in once the first one has faulted, whose close takes nothing from it", async () => {
    const failing = { on: true };
    const inner = new MemoryStorage();
    const storage = wrapStorage(inner, {
      commit: (writes) => (failing.on ? Promise.reject(new Error("broken")) : inner.commit(writes)),
      close: async () => {},
    });
    const first = new Session(storage);
    const harness = await openHarness({ session: first, ...options() });
    await expect(harness.lane("main")).rejects.toThrow("broken");
    failing.on = false;
    const second = new Session(storage);
    await first.close();

    expect(() => new Session(storage)).toThrow(SessionInUse);
    await (await openHarness({ session: second, ...options() })).lane("main");
  });
});

test("[O3] a second harness on one session is refused, also when the first is still being opened", async () => {
  const session = new Session(new MemoryStorage());
  const both = await Promise.allSettled([1, 2].map(() => openHarness({ session, ...options() })));

  expect(both.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  expect(both[1]).toMatchObject({ reason: { code: "session_in_use" } });
});

test("[K3] an operation that is not the open one of its lane is not finalized, and stays as it is", async () => {
  const { session, harness, lane, storage } = await openWorld();
  const { operationId } = await lane.accept({ prompt: "Hi" });
  const other = await harness.lane("other");
  const ofOther = await other.accept({ prompt: "Hi" });
  const wrong = [
    ["main", ofOther.operationId],
    ["other", operationId],
    ["none", operationId],
    ["main", "unknown"],
    ["main", "__proto__"],
  ] as const;
  for (const [name, id] of wrong) {
    await expect(session.finalize(name, id, { status: "aborted" })).rejects.toThrow(OperationNotOpen);
  }

  expect(await storage.getValue(operationState(operationId))).toBeDefined();
  expect(await storage.getValue(operationState(ofOther.operationId))).toBeDefined();
});
