/** Snapshots and watchers of a lane (section I). */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HarnessFault } from "../../errors.ts";
import { assistant, beginning, done, openWorld, quiet, types, type World } from "../../testing/harness/fakes.ts";
import type { HarnessEvent } from "../listening/events.ts";
import { EventHub } from "../listening/hub.ts";
import type { LaneWatch } from "./watch.ts";

describe("snapshots", () => {
  test("[I1] a live stream shows the newest local partial, ahead of the store", async () => {
    const world = await openWorld();
    await world.lane.accept({ prompt: "Hi" });
    void world.lane.activate().catch(() => {});
    await quiet();
    world.storage.armed = true;
    await world.provider.last.push(...beginning("hello"));
    const snapshot = await world.lane.snapshot();

    expect(snapshot.operation).toMatchObject({ driven: true, streamingMessage: { content: [{ text: "hello" }] } });
    expect(snapshot.transcript).toHaveLength(1);
  });

  test("[F1] says that the end was requested", async () => {
    const world = await openWorld();
    await world.lane.accept({ prompt: "Hi" });
    await world.lane.cancel();
    const { operation } = await world.lane.snapshot();

    expect(operation).toMatchObject({ status: "aborting" });
  });

  test("[I2] is absent in other states", async () => {
    const world = await openWorld();
    await world.lane.accept({ prompt: "Hi" });
    const { operation } = await world.lane.snapshot();

    expect(operation).toMatchObject({ at: "assistant.ready", status: "open", attempt: 1, driven: false });
    expect(operation).not.toHaveProperty("streamingMessage");
  });
});

/** A world whose provider waits for its first event, and the promise of its activation. */
async function streaming(options: Parameters<typeof openWorld>[0] = {}) {
  const world = await openWorld(options);
  await world.lane.accept({ prompt: "Hi" });
  const activation = world.lane.activate();
  activation.catch(() => {});
  await quiet();
  return { world, activation };
}

const wholeStream = [...beginning("hello"), done(assistant("hello"))];

test("[I5] a watcher hears its own lane, and no other", async () => {
  const world = await openWorld();
  const other = await world.harness.lane("other");
  const { seen } = await watching(world);
  await other.accept({ prompt: "Hello" });
  await quiet();
  expect(seen).toEqual([]);
  await world.lane.accept({ prompt: "Hi" });
  await quiet();

  expect(types(seen)).toEqual(["operation_start", "entry_added"]);
});

/** Lets `turns` continuations of other promises go first. */
async function microtasks(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await undefined;
}

interface Watching {
  readonly seen: HarnessEvent[];
  readonly snapshot: LaneWatch["snapshot"];
}

async function watching({ lane }: World, startsAfter = 0): Promise<Watching> {
  const watch = await lane.watch();
  const seen: HarnessEvent[] = [];
  await microtasks(startsAfter);
  watch.start((event) => void seen.push(event));
  return { seen, snapshot: watch.snapshot };
}

/** What the application's listener was told is in the snapshot up to one moment, and told to the watcher from there on. */
function expectNoGap(events: readonly HarnessEvent[], { seen, snapshot }: Watching): void {
  const first = events.length - seen.length;
  expect(seen).toEqual(events.slice(first));
  const shown = new Set(snapshot.transcript.map(({ id }) => id));
  events.forEach((event, at) => {
    if (event.type === "entry_added") expect(shown.has(event.entry.id)).toBe(at < first);
    if (event.type === "operation_end") expect(snapshot.operation === null).toBe(at < first);
  });
}

const fewTurns = fc.nat({ max: 40 });

describe("watchers", () => {
  test("[I5] one gets each later event once and in order, and holds nobody up before it starts", async () => {
    const { world, activation } = await streaming();
    const [start, ...rest] = beginning("hello");
    if (start !== undefined) await world.provider.last.push(start);
    const watch = await world.lane.watch();
    await world.provider.last.push(...rest);
    const seen: HarnessEvent[] = [];
    watch.start((event) => void seen.push(event));
    await world.provider.last.push(done(assistant("hello")));
    await activation;
    await quiet();
    expect(types(seen)).toEqual([
      "message_update",
      "message_update",
      "message_end",
      "entry_added",
      "usage",
      "operation_end",
    ]);
    watch.unsubscribe();
    await world.lane.accept({ prompt: "again" });
    await quiet();
    expect(seen).toHaveLength(6);
  });

  test("[I5] one may come at any moment of a stream", async () => {
    const position = fc.nat({ max: wholeStream.length - 1 });
    await fc.assert(
      fc.asyncProperty(position, fewTurns, fewTurns, async (position, askedAfter, startsAfter) => {
        const { world, activation } = await streaming();
        await world.provider.last.push(...wholeStream.slice(0, position));
        const before = world.events.length;
        const watcher = microtasks(askedAfter).then(() => watching(world, startsAfter));
        await world.provider.last.push(...wholeStream.slice(position, position + 1));
        const after = world.events.length;
        await world.provider.last.push(...wholeStream.slice(position + 1));
        await activation;
        expectNoGap(world.events, await watcher);
        const first = world.events.length - (await watcher).seen.length;
        expect(first).toBeGreaterThanOrEqual(before);
        expect(first).toBeLessThanOrEqual(after);
      }),
      { numRuns: 60 },
    );
  });

  test("[I5] one may come amid the events of a settlement, or of anything else", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: wholeStream.length + 2 }), fewTurns, async (at, askedAfter) => {
        const { world, activation } = await streaming();
        let told = 0;
        let watcher: Promise<Watching> | undefined;
        world.harness.on(() => {
          if (told++ === at) watcher = microtasks(askedAfter).then(() => watching(world));
        });
        await world.provider.last.push(...wholeStream);
        await activation;
        await quiet();
        if (watcher === undefined) throw new Error(`Only ${told} events were told`);
        expectNoGap(world.events, await watcher);
      }),
      { numRuns: 60 },
    );
  });

  test("[I5][C1] one that never returns stalls neither the provider loop nor another", async () => {
    const { world } = await streaming();
    const slow = await world.lane.watch();
    let calls = 0;
    slow.start(() => {
      calls++;
      return new Promise(() => {});
    });
    const other = await watching(world);
    await world.provider.last.push(...wholeStream);
    await quiet();

    expect(types(other.seen)).toEqual(expect.arrayContaining(["message_update", "operation_end"]));
    expectNoGap(world.events, other);
    expect(calls).toBe(1);
  });

  test("[I5] one that unsubscribes while it is called is not called again, and nobody else loses an event", async () => {
    const { world, activation } = await streaming();
    const seen: HarnessEvent[] = [];
    const watch = await world.lane.watch();
    const other = await watching(world);
    await world.provider.last.push(...beginning("hello"));
    watch.start((event) => {
      seen.push(event);
      if (event.type === "message_update") watch.unsubscribe();
    });
    await world.provider.last.push(done(assistant("hello")));
    await activation;

    expect(types(seen)).toEqual(["message_start", "message_update"]);
    expectNoGap(world.events, other);
  });

  test("[I5] one that unsubscribes before it starts is never called", async () => {
    const { world } = await streaming();
    const watch = await world.lane.watch();
    await world.provider.last.push(...beginning("hello"));
    watch.unsubscribe();
    const seen: HarnessEvent[] = [];
    watch.start((event) => void seen.push(event));
    await quiet();

    expect(seen).toEqual([]);
  });

  test("[J4] one that throws is reported, and gets the events that follow", async () => {
    const { world, activation } = await streaming();
    const watch = await world.lane.watch();
    const seen: HarnessEvent[] = [];
    watch.start((event) => {
      seen.push(event);
      if (event.type === "message_start") throw new Error("watcher");
    });
    await world.provider.last.push(...wholeStream);
    await activation;
    const reports = world.events.filter(({ type }) => type === "listener_error");

    expect(reports).toMatchObject([{ kind: "listener", during: "message_start" }]);
    expect(types(seen)).toContain("operation_end");
  });
});

describe("listeners", () => {
  const event: HarnessEvent = { type: "operation_start", lane: "main", operationId: "o" };

  test("[J4] one that throws is isolated and reported, and loses no event", async () => {
    const hub = new EventHub();
    const seen: HarnessEvent[] = [];
    hub.subscribe((given) => {
      if (given.type === "operation_start") throw new Error("listener");
    });
    hub.subscribe((given) => void seen.push(given));
    await hub.emit(event);
    await hub.emit(event);
    await quiet();

    expect(types(seen)).toEqual(["operation_start", "listener_error", "operation_start", "listener_error"]);
  });

  test("[J4] what a listener is given cannot be changed", async () => {
    const hub = new EventHub();
    const message = assistant("hello");
    let thrown: unknown;
    hub.subscribe((given) => {
      if (given.type !== "message_start") return;
      try {
        given.message.content.length = 0;
      } catch (error) {
        thrown = error;
      }
    });
    await hub.emit({ type: "message_start", lane: "main", operationId: "o", message });

    expect(thrown).toBeInstanceOf(TypeError);
    expect(message.content).toHaveLength(1);
  });

  test("[J4] one that throws at the report of a hook's error is reported too, but not for ever", async () => {
    const hub = new EventHub();
    const seen: string[] = [];
    hub.subscribe((given) => {
      seen.push(given.type === "listener_error" ? given.kind : given.type);
      throw new Error("listener");
    });
    await hub.emit({ type: "listener_error", kind: "hook", error: new Error("hook"), during: "afterResponse" });
    await quiet();

    expect(seen).toEqual(["hook", "listener"]);
  });

  test("[J4] the fault that one is given is not the one that callers get", async () => {
    const hub = new EventHub();
    const fault = new HarnessFault(new Error("disk"));
    const seen: HarnessEvent[] = [];
    hub.subscribe((given) => void seen.push(given));
    await hub.emit({ type: "fault", error: fault });
    const [given] = seen;
    if (given?.type !== "fault") throw new Error("No fault was told");

    expect(Reflect.set(given.error, "message", "changed")).toBe(false);
    expect(given.error).toMatchObject({ code: "harness_fault", message: fault.message, cause: fault.cause });
    expect(fault).not.toBe(given.error);
  });

  test("[C1] the provider loop waits for a slow listener, one event at a time", async () => {
    let release: () => void = () => {};
    const seen: string[] = [];
    const world = await openWorld({
      onEvent: (given) => {
        seen.push(given.type);
        if (given.type !== "message_start") return;
        return new Promise((resolve) => {
          release = resolve;
        });
      },
    });
    await world.lane.accept({ prompt: "Hi" });
    void world.lane.activate();
    await quiet();
    await world.provider.last.push(...beginning("hello"));
    expect(seen.at(-1)).toBe("message_start");
    release();
    await quiet();
    expect(seen.slice(-2)).toEqual(["message_update", "message_update"]);
  });
});
