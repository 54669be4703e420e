/** The listeners and watchers of a run: well-behaved ones that write down, and hostile ones. */
import { describe, expect, test } from "vitest";
import type { Incarnation, ObservedEvent, ObservedSnapshot } from "../adapters/adapter.ts";
import { Audience, emptyAudienceRecord } from "./audience.ts";
import { changeMark, changeWhole } from "./change-whole.ts";

/** An audience of a process that tells its watchers what `tell` is given. */
function audienceOf() {
  const host = { audienceRecord: emptyAudienceRecord(), activity: 0 };
  const listeners: ((event: ObservedEvent) => unknown)[] = [];
  const snapshot: ObservedSnapshot = {
    open: true,
    operationId: "op",
    transcript: [],
    streamingMessage: undefined,
  };
  const watch: Incarnation["watch"] = async (listener) => {
    listeners.push(listener);
    return snapshot;
  };
  const tell = (given: object) =>
    listeners.map((listener) => listener({ name: "message_update", recovery: false, given }));
  return { host, audience: new Audience(host), harness: { watch } as Incarnation, snapshot, tell };
}

describe("an audience", () => {
  test("[I5] writes down when a watcher was asked for, what its snapshot shows and what it is told", async () => {
    const { audience, harness, host, tell } = audienceOf();
    await audience.watch(harness);
    tell({ text: "a" });
    expect(host.audienceRecord.watched).toEqual([
      { kind: "asked", watcher: 1, slow: false },
      { kind: "subscribed", watcher: 1, transcriptIds: [], operationId: "op" },
      { kind: "told", watcher: 1, event: { name: "message_update", recovery: false, content: '{"text":"a"}' } },
    ]);
  });

  test("[I5] has a watcher that never returns, and a few that come amid what is done", () => {
    const { audience, harness, host, tell } = audienceOf();
    for (let time = 0; time < 20; time++) audience.admitLatecomer(harness);
    expect(host.audienceRecord.watched).toMatchObject([
      { kind: "asked", slow: true },
      { kind: "asked", slow: false },
    ]);
    expect(tell({})).toEqual([expect.any(Promise), undefined]);
  });

  test("[J4] throws and rejects in turn, at events and at reports", async () => {
    const { audience, host } = audienceOf();
    const { throwing, reported } = audience.rogues;
    expect(() => throwing({})).toThrow("a listener that throws");
    expect([throwing({}), throwing({})]).toEqual([undefined, undefined]);
    await expect(throwing({})).rejects.toThrow("a listener that throws");
    expect(() => reported()).toThrow("a listener that throws");
    await expect(reported()).rejects.toThrow("a listener that throws");
    expect(host.audienceRecord).toMatchObject({ throws: 2, reports: 2 });
  });

  test("[J4] notes what another listener had changed, and what changes afterwards", () => {
    const { audience, host } = audienceOf();
    const changedBefore = { type: "message_end", text: "a" };
    const changedLater = { type: "message_start", text: "a" };
    changeWhole(changedBefore);
    for (const given of [changedBefore, changedLater, { type: "usage" }]) {
      audience.announced({ name: "message_update", recovery: false, given });
    }
    changedLater.text = "ab";
    audience.leave();
    expect(host.audienceRecord.altered).toEqual([
      expect.stringMatching(/^message_end had been changed/),
      expect.stringMatching(/^message_start changed after/),
    ]);
  });

  test("[J4] notes a snapshot that changes after it was given", async () => {
    const { audience, harness, host, snapshot } = audienceOf();
    await audience.watch(harness);
    changeWhole(snapshot);
    audience.leave();
    expect(host.audienceRecord.altered).toHaveLength(1);
  });

  test("is nobody's witness when its process is gone", () => {
    const { audience, harness, host } = audienceOf();
    audience.leave();
    audience.admitLatecomer(harness);
    void audience.rogues.throwing({});
    expect(host).toEqual({ audienceRecord: emptyAudienceRecord(), activity: 0 });
  });
});

describe("a listener that changes everything", () => {
  test("reaches the innermost member, and leaves what tells events apart", () => {
    const event = { type: "message_end", message: { role: "assistant", content: [{ type: "text", text: "hello" }] } };
    changeWhole(event);
    expect(event).toMatchObject({ type: "message_end", message: { role: "assistant" } });
    expect(event.message.content[0]).toMatchObject({ type: "text", text: changeMark });
    expect(event.message.content).toHaveLength(2);
  });

  test("changes an error, but not what caused it", () => {
    const error = new Error("fault", { cause: new Error("disk") });
    changeWhole(error);
    expect(error).toMatchObject({ message: changeMark, cause: { message: "disk" } });
  });

  test("gets on with what cannot be changed, down to what can", () => {
    const inner = { text: "hello" };
    const event = Object.freeze({ text: "hello", inner });
    changeWhole(event);
    expect(event.text).toBe("hello");
    expect(inner.text).toBe(changeMark);
  });
});
