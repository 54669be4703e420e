import { describe, expect, test } from "vitest";
import type { HarnessEvent } from "./events.ts";
import { assistant, beginning, done, openWorld, quiet, types } from "./fakes.test-d.ts";
import { EventHub } from "./hub.ts";

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

  test("[I2] is absent in other states", async () => {
    const world = await openWorld();
    await world.lane.accept({ prompt: "Hi" });
    const { operation } = await world.lane.snapshot();
    expect(operation).toMatchObject({ at: "assistant.ready", status: "open", attempt: 1, driven: false });
    expect(operation).not.toHaveProperty("streamingMessage");
  });

  test("[I5] a watcher gets each later event once and in order, and holds nobody up before it starts", async () => {
    const world = await openWorld();
    await world.lane.accept({ prompt: "Hi" });
    const activation = world.lane.activate();
    await quiet();
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
