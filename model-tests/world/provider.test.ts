/** The provider of a run gives each event when the driver says so, defects of the protocol too. */
import type { AssistantMessageEvent } from "@earendil-works/pi-ai";
import { describe, expect, test } from "vitest";
import { type DefectKind, defectKinds } from "../../machines/index.ts";
import { inventedSayings } from "../contents/catalogue.ts";
import { committedContent } from "../contents/saying.ts";
import { ScriptedStream } from "./provider.ts";
import { errorMessages, RequestScript } from "./script.ts";

function openStream(signal?: AbortSignal) {
  const seen: string[] = [];
  const stream = new ScriptedStream(new RequestScript(2, 0), signal, {
    pulled: () => seen.push("pulled"),
    signalled: () => seen.push("signalled"),
    given: (event) => seen.push(event.type),
  });
  return { stream, seen, iterator: stream[Symbol.asyncIterator]() };
}

/** Give events as a driver does, each to a waiting pull, and read to the end: the types that the harness sees. */
async function read(act: (stream: ScriptedStream) => void, started: boolean): Promise<string[]> {
  const { stream, iterator } = openStream();
  const types: string[] = [];
  const next = async (give?: (stream: ScriptedStream) => void): Promise<boolean> => {
    const pull = iterator.next();
    give?.(stream);
    const outcome = await pull.catch((error: Error) => error);
    types.push(outcome instanceof Error ? `throws ${outcome.message}` : outcome.done ? "end" : outcome.value.type);
    return !(outcome instanceof Error) && !outcome.done;
  };
  if (started) await next((one) => one.start());
  let open = await next(act);
  while (open) open = await next();
  return types;
}

const updates = (stream: ScriptedStream): void => stream.update();

describe("a scripted stream", () => {
  test("gives nothing until the driver says so, and each event to one pull", async () => {
    const { stream, iterator, seen } = openStream();
    expect(stream.pulled).toBe(false);

    const pull = iterator.next();
    expect(stream.pulled).toBe(true);
    stream.start();

    expect((await pull).value).toMatchObject({ type: "start" });
    expect(stream.pulled).toBe(false);
    expect(seen).toEqual(["pulled", "start"]);
  });

  test("[B6] has a live partial that is ahead of the events it stands in", async () => {
    const { stream, iterator } = openStream();
    const events: AssistantMessageEvent[] = [];
    for (const give of [() => stream.start(), () => stream.update(), () => stream.update(), () => stream.update()]) {
      const pull = iterator.next();
      give();
      events.push((await pull).value as AssistantMessageEvent);
    }

    expect(events.map(({ type }) => type)).toEqual(["start", "text_start", "text_delta", "text_delta"]);
    for (const event of events) expect("partial" in event && event.partial).toBe(stream.script.partial);
    expect(stream.script.partial.content).toEqual(committedContent(inventedSayings(2), 4));
  });

  test.each([
    ["stop", "done", "stop", undefined],
    ["toolUse", "done", "toolUse", undefined],
    ["retryable", "error", "error", errorMessages.retryable],
    ["terminal", "error", "error", errorMessages.terminal],
    ["aborted", "error", "aborted", errorMessages.aborted],
  ] as const)("ends with %s as a provider does", async (end, type, stopReason, errorMessage) => {
    const { stream, iterator } = openStream();
    const pull = iterator.next();

    const message = stream.finish(end);

    expect((await pull).value).toMatchObject({ type });
    expect(message).toMatchObject({ stopReason, ...(errorMessage === undefined ? {} : { errorMessage }) });
    expect(await stream.result()).toEqual(message);
    expect(await iterator.next()).toEqual({ value: undefined, done: true });
  });

  test("[F1] tells of the pulled signal while it is open, and not after its end", () => {
    const open = new AbortController();
    const { seen } = openStream(open.signal);
    open.abort();
    expect(seen).toEqual(["signalled"]);

    const ended = new AbortController();
    const late = openStream(ended.signal);
    late.stream.finish("stop");
    ended.abort();
    expect(late.seen).toEqual(["done"]);

    expect(openStream(AbortSignal.abort()).seen).toEqual(["signalled"]);
  });
});

describe("defects of the protocol reach the harness unfiltered", () => {
  const expected: Readonly<Record<DefectKind, readonly [started: boolean, types: readonly string[]]>> = {
    update_before_start: [false, ["text_start", "start", "done", "end"]],
    done_before_start: [false, ["done", "end"]],
    second_start: [true, ["start", "start", "done", "end"]],
    event_after_end: [true, ["start", "done", "text_start", "end"]],
    iterator_throws: [true, ["start", "throws connection reset by peer"]],
    no_terminal_event: [true, ["start", "end"]],
  };

  test.each(defectKinds)("[B3] %s", async (kind) => {
    const [started, types] = expected[kind];

    expect(await read((stream) => stream.defect(kind), started)).toEqual(types);
  });

  test("an ordinary update is none", async () => {
    const { stream, iterator } = openStream();
    const pull = iterator.next();
    stream.start();
    await pull;
    const next = iterator.next();
    updates(stream);

    expect((await next).value).toMatchObject({ type: "text_start" });
    expect(stream.pulled).toBe(false);
  });
});
