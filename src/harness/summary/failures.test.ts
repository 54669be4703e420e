/** Summaries that fail, and leave nothing behind (H1). */
import type { AssistantMessageEvent, AssistantMessageEventStream } from "@earendil-works/pi-ai";
import { describe, expect, test } from "vitest";
import { Closed, HarnessFault } from "../../errors.ts";
import { assistant, beginning, done, openWorld, quiet, types } from "../../testing/harness/fakes.ts";
import {
  begin,
  converse,
  openSpied,
  summaryAborted,
  summaryDone,
  summaryFailed,
  withConversation,
} from "../../testing/harness/summary.ts";

describe("a summary that does not come about", () => {
  test.each([
    ["an error", summaryFailed, "provider_error", "503 service unavailable"],
    ["an abort", summaryAborted, "provider_error", "Request was aborted"],
    ["a blank text", done(assistant(" \n")), "unusable", "stop"],
    ["a call of tools", done(assistant("Let me look", { stopReason: "toolUse" })), "unusable", "toolUse"],
  ])("%s of the provider refuses it, and the lane goes on", async (_name, end, reason, words) => {
    const world = await withConversation();
    const { summary, request } = await begin(world);
    await request.push(end);
    await expect(summary).rejects.toMatchObject({ code: "summary_failed", lane: "main", reason });
    await expect(summary).rejects.toThrow(words);
    expect(world.storage.commits).toEqual([]);
    await converse(world);
    expect((await world.lane.snapshot()).transcript).toHaveLength(4);
  });

  test("needs a message and a known model", async () => {
    const empty = await openSpied();
    await expect(empty.lane.summarize()).rejects.toMatchObject({ reason: "nothing_to_summarize" });
    const { storage, clock } = await withConversation();
    const other = await openWorld({}, storage, clock);
    other.provider.getModel = () => undefined;
    await expect(other.lane.summarize()).rejects.toMatchObject({ reason: "unknown_model" });
  });

  test("rejects a call whose signal was pulled before, and does not wait for its turn", async () => {
    const world = await withConversation();
    world.storage.armed = true;
    world.harness.lane("other").catch(() => {});
    await quiet();
    const summary = world.lane.summarize({ signal: AbortSignal.abort() });

    await expect(summary).rejects.toMatchObject({ code: "summary_failed", reason: "aborted" });
    expect(world.storage.parked).toHaveLength(1);
  });

  test.each(["before the request", "in the stream"])(
    "rejects at once when its signal is pulled %s, and the provider is not waited for",
    async (when) => {
      const world = await withConversation();
      const asked = world.provider.requests.length;
      const abort = new AbortController();
      const summary = world.lane.summarize({ signal: abort.signal });
      if (when === "in the stream") await quiet();
      abort.abort();
      await expect(summary).rejects.toMatchObject({ code: "summary_failed", reason: "aborted" });
      await quiet();
      const requests = world.provider.requests.slice(asked);
      expect(requests.map(({ signal }) => signal?.aborted)).toEqual(when === "in the stream" ? [true] : []);
      expect(world.harness.fault).toBeUndefined();
    },
  );

  test("an abort stops a summary that waits for its turn", async () => {
    const world = await withConversation();
    const abort = new AbortController();
    const { summary, request } = await begin(world, { signal: abort.signal });
    world.storage.armed = true;
    const ahead = world.harness.lane("other");
    await request.push(summaryDone);
    abort.abort();
    await world.storage.land();
    await ahead;

    await expect(summary).rejects.toMatchObject({ reason: "aborted" });
    expect(world.storage.commits).toHaveLength(1);
  });

  test("an abort is too late for a summary that the store has, [C7] which is told on the reply", async () => {
    const world = await withConversation();
    const abort = new AbortController();
    const { summary, request } = await begin(world, { signal: abort.signal });
    world.storage.armed = true;
    await request.push(summaryDone);
    abort.abort();
    expect(world.events).toEqual([]);
    await world.storage.land();
    expect((await summary).summary).toBe("In short: hello");
  });

  test("[Q6] a protocol defect costs the summary, and the harness lives", async () => {
    const world = await withConversation();
    const { summary, request } = await begin(world);
    await request.push(...beginning("again"));

    await expect(summary).rejects.toMatchObject({ reason: "provider_error", cause: { code: "provider_protocol" } });
    expect(world.harness.fault).toBeUndefined();
    expect(world.events).toEqual([]);
  });

  test("[Q6] a request that throws costs the summary, and the harness lives", async () => {
    const world = await withConversation();
    world.provider.streamSimple = () => {
      throw new Error("no such host");
    };

    const where = "the request";
    await expect(world.lane.summarize()).rejects.toMatchObject({ reason: "provider_error", cause: { where } });
    expect(world.harness.fault).toBeUndefined();
  });

  test("nothing is taken from a stream after the abort", async () => {
    const world = await withConversation();
    const [start] = beginning("In short");
    let taken = 0;
    async function* endless() {
      for (; ; taken++) yield start as AssistantMessageEvent;
    }
    const abort = new AbortController();
    world.provider.streamSimple = () => {
      abort.abort();
      return endless() as unknown as AssistantMessageEventStream;
    };
    await expect(world.lane.summarize({ signal: abort.signal })).rejects.toMatchObject({ reason: "aborted" });
    await quiet();
    expect(taken).toBe(0);
  });

  test("[B3] a provider that breaks off because of the abort is no defect", async () => {
    const world = await withConversation();
    const abort = new AbortController();
    const { summary, request } = await begin(world, { signal: abort.signal });
    abort.abort();
    await request.push(...beginning("again"));

    await expect(summary).rejects.toMatchObject({ reason: "aborted" });
    expect(world.harness.fault).toBeUndefined();
  });
});

describe("the end of the session amid a summary", () => {
  test("[K1] close rejects it, pulls its signal, and waits for no provider", async () => {
    const world = await withConversation();
    const { summary, request } = await begin(world);
    await world.harness.close();

    await expect(summary).rejects.toThrow(Closed);
    expect(request.signal?.aborted).toBe(true);
  });

  test("[K2] a fault of something else rejects it and pulls its signal", async () => {
    const world = await withConversation();
    const { summary, request } = await begin(world);
    world.storage.armed = true;
    world.lane.accept({ prompt: "again" }).catch(() => {});
    world.storage.parked.shift()?.fail(new Error("disk"));
    await expect(summary).rejects.toThrow(HarnessFault);
    expect(request.signal?.aborted).toBe(true);
    await request.push(summaryDone);
    expect(world.storage.commits).toHaveLength(1);
  });

  test("[K2] its own transaction that fails faults the harness", async () => {
    const world = await withConversation();
    const { summary, request } = await begin(world);
    world.storage.armed = true;
    await request.push(summaryDone);
    world.storage.parked.shift()?.fail(new Error("disk"));

    await expect(summary).rejects.toThrow(HarnessFault);
    expect(types(world.events)).toEqual(["fault"]);
  });
});
