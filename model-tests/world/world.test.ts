/** Store, provider, clock and listeners together: what one step of a driver does and what it records. */
import { describe, expect, test } from "vitest";
import type { CallOutcome } from "../../machines/index.ts";
import type { Adapter, Incarnation, Surroundings } from "../adapters/adapter.ts";
import { referenceAdapter } from "../adapters/reference.ts";
import { newStore } from "../testing/subjects.ts";
import { anomaly } from "./anomalies.ts";
import { quiescence } from "./quiescence.ts";
import { World } from "./world.ts";

/** A world around the reference, and what it gave to each process. */
async function bootedWorld(change: Partial<Incarnation> = {}) {
  const given: Surroundings[] = [];
  const adapter: Adapter = {
    ...referenceAdapter,
    boot: async (surroundings) => {
      given.push(surroundings);
      return { ...(await referenceAdapter.boot(surroundings)), ...change };
    },
  };
  const world = new World(adapter, newStore(), 2);
  await world.boot();
  await quiescence(world);
  world.takeRecord();
  const settle = async (): Promise<ReturnType<World["takeRecord"]>> => {
    await quiescence(world);
    return world.takeRecord();
  };
  return { world, settle, surroundings: () => given.at(-1) as Surroundings };
}

const untilStream = async (world: World): Promise<void> => {
  world.accept();
  await quiescence(world);
  await world.gate?.land();
  world.gate?.reply();
  await quiescence(world);
  world.activate({ wait: true, permit: false });
  await quiescence(world);
  await world.gate?.land();
  world.gate?.reply();
  await quiescence(world);
};

describe("a step of the world", () => {
  test("records what landed, what was announced and which promises settled", async () => {
    const { world, settle } = await bootedWorld();
    world.accept();
    expect(await settle()).toMatchObject({ landings: [], calls: [] });

    await world.gate?.land();
    expect(await settle()).toMatchObject({ landings: [{ commit: "accept", decides: true }], calls: [] });
    expect(world.observeDurable()).toMatchObject({ at: "ready", control: "running" });

    world.gate?.reply();
    expect(await settle()).toMatchObject({ landings: [], calls: [{ call: "accept", outcome: "ok" }] });
    expect(world.promises.count("accept")).toBe(0);
  });

  test("holds everything else parked: stream, listener and hook wait at their gates", async () => {
    const { world, settle } = await bootedWorld();
    await untilStream(world);
    expect(world.pulledStream).toBeDefined();
    expect(world.release("listener")).toBe(false);

    world.pulledStream?.start();
    await settle();
    expect(world.pulledStream).toBeUndefined();
    expect(world.gates?.listener).toBeDefined();

    expect(world.release("listener")).toBe(true);
    await world.gate?.land();
    world.gate?.reply();
    await settle();
    world.endStream("stop");
    expect(await settle()).toMatchObject({ hooks: 1, provider: [{ type: "done" }] });
    expect(world.gates?.hook).toBeDefined();
  });

  test("knows which request streams into which response", async () => {
    const { world } = await bootedWorld();
    await untilStream(world);

    expect([...world.requestOf.values()]).toEqual([1]);
    expect(world.durable.value("pi.lane.state", "main")).toMatchObject({ lastOperationId: null });
  });

  test("steps the clock to the retry that the durable state names, and not without one", async () => {
    const { world, settle } = await bootedWorld();
    const startMs = world.clock.nowMs;
    await world.tick();
    expect(world.clock.nowMs).toBe(startMs);

    await untilStream(world);
    world.endStream("retryable");
    await settle();
    world.release("hook");
    await settle();
    await world.gate?.land();
    world.gate?.reply();
    await settle();
    expect(world.observeDurable()).toMatchObject({ at: "retry_wait", attempt: 2 });

    await world.tick();
    expect(world.clock.nowMs).toBeGreaterThan(startMs);
  });
});

describe("a process that is gone", () => {
  test("is never answered, and its promises are nobody's any more", async () => {
    const { world, settle } = await bootedWorld();
    world.accept();
    await settle();

    world.kill();
    await world.boot();

    expect(await settle()).toMatchObject({ calls: [], landings: [] });
    expect(world.promises.open).toEqual([]);
    expect(world.observeDurable().at).toBe("none");
  });

  test.each<[string, (surroundings: Surroundings) => unknown]>([
    ["announces", (before) => before.deliver({ name: "message_update", recovery: false })],
    ["starts a hook", (before) => before.afterResponse({} as Parameters<Surroundings["afterResponse"]>[0])],
    ["runs a tool", (before) => before.runTool({ toolCallId: "call-1-send", name: "send" })],
    ["makes a request", (before) => before.models.streamSimple(before.model, { messages: [] })],
  ])("is an anomaly when it still %s", async (_name, act) => {
    const { world, settle, surroundings } = await bootedWorld();
    const before = surroundings();
    await world.boot();
    await settle();

    void act(before);

    expect((await settle()).anomalies).toEqual([
      { requirement: "K1", what: expect.stringMatching(/^a process that is gone /) },
    ]);
  });
});

describe("an adapter", () => {
  test("that rejects without a type leaves an anomaly", async () => {
    const { world, settle } = await bootedWorld({ cancel: () => Promise.reject(new TypeError("oops")) });

    world.cancel();

    expect((await settle()).anomalies).toEqual([
      anomaly("a call rejected with an untyped error", "cancel: TypeError: oops"),
    ]);
    expect(world.promises.count("cancel")).toBe(0);
  });

  test("that answers nonsense is noted as such", async () => {
    const { world, settle } = await bootedWorld({ cancel: () => Promise.resolve("perhaps" as CallOutcome) });

    world.cancel();
    await settle();

    expect(world.promises.nonsense).toContain('"perhaps"');
  });
});

test("[K3] an outside party ends the operation while no process holds the session", async () => {
  const { world, settle } = await bootedWorld();
  await untilStream(world);
  await settle();
  world.kill();

  await world.finalizeOffline();

  expect(await settle()).toMatchObject({
    calls: [{ call: "finalize", outcome: "ok" }],
    landings: expect.arrayContaining([expect.objectContaining({ commit: "finalize", listsLeft: [] })]),
  });
  expect(world.observeDurable()).toMatchObject({ at: "none", outcome: "finalized" });
});
