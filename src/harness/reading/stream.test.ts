/** The event stream of a provider, and its defects (B3, C1). */
import type { AssistantMessageEvent, AssistantMessageFrame } from "@earendil-works/pi-ai";
import { describe, expect, test } from "vitest";
import { ProviderProtocolError } from "../../errors.ts";
import { assistant, beginning, done, quiet } from "../../testing/harness/fakes.ts";
import { readStream, type StreamSink } from "./stream.ts";

const [start, open, delta] = beginning("hello") as [
  AssistantMessageEvent,
  AssistantMessageEvent,
  AssistantMessageEvent,
];
const end = done(assistant("hello"));

async function* script(...events: (AssistantMessageEvent | Error)[]): AsyncGenerator<AssistantMessageEvent> {
  for (const event of events) {
    if (event instanceof Error) throw event;
    yield event;
  }
}

function sink(log: string[], frames: AssistantMessageFrame[] = []): StreamSink {
  return {
    over: false,
    append(frame) {
      frames.push(frame);
      log.push(`append ${frame.type}`);
    },
    async tell(event) {
      log.push(`tell ${event.type}`);
    },
  };
}

describe("readStream", () => {
  test("[C1] appends before it tells, [N4] and stores no terminal event", async () => {
    const log: string[] = [];

    expect(await readStream(script(start, open, delta, end), sink(log))).toEqual(assistant("hello"));
    expect(log).toEqual([
      "append start",
      "tell start",
      "append text_start",
      "tell text_start",
      "append text_delta",
      "tell text_delta",
    ]);
  });

  test("[B3] an error before the start is legal", async () => {
    const failed = assistant("", { stopReason: "error", errorMessage: "no route" });
    const log: string[] = [];

    expect(await readStream(script(done(failed)), sink(log))).toEqual(failed);
    expect(log).toEqual([]);
  });

  test.each([
    ["done before start", [end], "event 0 (done)"],
    ["an update before start", [delta], "event 0 (text_delta)"],
    ["a second start", [start, start], "event 1 (start)"],
    ["an event after the end", [start, end, open], "event 2 (text_start)"],
    ["a second end", [start, end, end], "event 2 (done)"],
    ["an iterator that throws", [start, new Error("socket")], "event 1"],
    ["no terminal event", [start, open], "its end"],
  ])("[B3] %s is a defect", async (_name, events, where) => {
    const reading = readStream(script(...events), sink([]));
    await expect(reading).rejects.toMatchObject({ code: "provider_protocol", where });
    await expect(reading).rejects.toThrow(ProviderProtocolError);
  });

  test("[C1] takes no event while the one before is being told", async () => {
    const log: string[] = [];
    let release: () => void = () => {};
    const told = new Promise<void>((resolve) => {
      release = resolve;
    });
    const reading = readStream(script(start, open, end), { ...sink(log), tell: () => told });
    await quiet();
    expect(log).toEqual(["append start"]);
    release();
    await reading;
    expect(log).toEqual(["append start", "append text_start"]);
  });

  test.each(["before an event", "while one is told"])(
    "[K3] a sink that is over %s takes nothing more",
    async (when) => {
      let taken = 0;
      const stream: AsyncIterable<AssistantMessageEvent> = {
        [Symbol.asyncIterator]: () => ({
          next: async () => {
            taken++;
            return { done: false, value: start };
          },
        }),
      };
      const ending = { ...sink([]), over: when === "before an event" };
      ending.tell = async () => {
        ending.over = true;
      };
      expect(await readStream(stream, ending)).toBeUndefined();
      expect(taken).toBe(1);
    },
  );
});
