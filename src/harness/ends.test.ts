/** What ends an operation from outside: close, a fault, and a finalization. */
import { describe, expect, test } from "vitest";
import { pendingAssistantFrames } from "../addresses/builtins.ts";
import { Closed, HarnessFault, OperationNotOpen } from "../errors.ts";
import { Session } from "../session/session.ts";
import { stateOf } from "../testing/harness/deferred.ts";
import { assistant, beginning, done, openWorld, quiet, types } from "../testing/harness/fakes.ts";
import { streaming } from "../testing/harness/streaming.ts";

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
