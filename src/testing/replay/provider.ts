/** Gives a generated stream through the provider interface, and watches what a reader is shown. */
import { setImmediate as turn } from "node:timers/promises";
import type { AssistantMessageEvent } from "@earendil-works/pi-ai";
import type { ProviderModels } from "../../harness/options.ts";
import { modelOf } from "../../replay/play/model.ts";
import type { FixtureSink } from "../../replay/record/sink.ts";
import { RelayStream } from "../../replay/relay.ts";
import type { Clock } from "../../session/clock.ts";
import type { GeneratedStream } from "./streams.ts";

/** The model of every generated stream. */
export const generatedModel = modelOf({ provider: "generated", id: "m", api: "openai-completions" });

/** A clock that a test moves. */
export class StepClock implements Clock {
  #now = 1_000;

  now(): number {
    return this.#now;
  }

  step(ms: number): void {
    this.#now += ms;
  }

  async sleepUntil(timeMs: number, signal: AbortSignal): Promise<void> {
    while (this.#now < timeMs && !signal.aborted) await turn();
  }
}

/** A sink in memory. */
export class TextSink implements FixtureSink {
  text = "";

  write(lines: string): void {
    this.text += lines;
  }

  async close(): Promise<void> {}
}

/** A provider that answers with the streams in order, moving the clock as they say. */
export function generatedProvider(streams: readonly GeneratedStream[], clock: StepClock): ProviderModels {
  const waiting = [...streams];
  const answer = () => {
    const stream = new RelayStream();
    const generated = waiting.shift();
    if (generated === undefined) throw new Error("no stream is left");
    void give(generated, stream, clock);
    return stream;
  };
  return {
    getModel: () => generatedModel,
    streamSimple: answer,
    streamDeferred: answer,
    cancelDeferred: async () => {},
  };
}

async function give(
  { partial, bursts, copies }: GeneratedStream,
  stream: RelayStream,
  clock: StepClock,
): Promise<void> {
  for (const { gapMs, moves } of bursts) {
    clock.step(gapMs);
    for (const move of moves) {
      const event = move(partial);
      stream.give(copies && "partial" in event ? { ...event, partial: { ...partial } } : event);
    }
    await turn();
    await turn();
  }
  stream.close();
}

/** Reads a stream at once; each event as it was shown when it was read. */
export async function readShown(stream: AsyncIterable<AssistantMessageEvent>): Promise<unknown[]> {
  const shown: unknown[] = [];
  for await (const event of stream) shown.push(structuredClone(event));
  return shown;
}
