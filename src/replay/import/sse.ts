/** Makes a fixture of a captured HTTP answer (`curl -N ... > capture.sse`), read by pi-ai's own provider adapter. */
import { setImmediate as turn } from "node:timers/promises";
import type { Api, Model, ProviderStreams, TranscriptContext } from "@earendil-works/pi-ai";
import { ImportRefused } from "../../errors.ts";
import { decodeFixture } from "../fixture/decode.ts";
import type { Fixture } from "../fixture/fixture.ts";
import { modelOf } from "../play/model.ts";
import { FixtureRecorder } from "../record/recorder.ts";

/** The formats of captures: OpenAI-compatible chat completions, and Anthropic messages. */
export type SseFormat = "openai-completions" | "anthropic-messages";

/** Options of an import. */
export interface SseOptions {
  format: SseFormat;
  /** How the model is named in the fixture. Default: `captured`. */
  model?: { provider: string; id: string };
  /** A capture has no times: its events are this many milliseconds apart. Default: 0. */
  gapMs?: number;
}

/**
 * The fixture of one captured answer: what the adapter of that format makes of it, an error or a cut-off answer included.
 *
 * @throws {ImportRefused} when the text holds no server-sent event with JSON data.
 */
export async function importSse(text: string, { format, model, gapMs = 0 }: SseOptions): Promise<Fixture> {
  const events = eventsOf(text);
  let now = 0;
  const lines: string[] = [];
  const clock = { now: () => now, sleepUntil: () => Promise.resolve() };
  const sink = { write: (written: string) => void lines.push(written), close: async () => {} };
  const recorder = new FixtureRecorder({ sink, clock });
  const body = bodyOf(events, () => {
    now += gapMs;
  });
  const named: Model<Api> = {
    ...modelOf({ ...(model ?? { provider: "captured", id: "captured" }), api: format }),
    baseUrl: "http://captured.invalid",
  };
  // The recorder must not learn the placeholder as a secret: it is shorter than one.
  const options = {
    apiKey: "none",
    fetch: async () => new Response(body, { headers: { "content-type": "text/event-stream" } }),
  };
  const context = { messages: [{ role: "user", content: "?", timestamp: 0 }] } as unknown as TranscriptContext;
  const stream = recorder.wrap(await adapterOf(format)).streamSimple(named, context, { ...options, maxRetries: 0 });
  for await (const _ of stream);
  await recorder.close();
  return decodeFixture(lines.join(""));
}

/** Loaded when it is needed: the SDKs behind it are large. */
async function adapterOf(format: SseFormat): Promise<ProviderStreams> {
  const adapter =
    format === "openai-completions"
      ? await import("@earendil-works/pi-ai/api/openai-completions")
      : await import("@earendil-works/pi-ai/api/anthropic-messages");
  return adapter as unknown as ProviderStreams;
}

/** The events of a capture, each with its blank line. Whatever stands before the first one (headers) is left out. */
function eventsOf(text: string): string[] {
  const parts = text.replaceAll("\r\n", "\n").split("\n\n");
  const events = parts.flatMap((part) => {
    const lines = part.split("\n").filter((line) => /^(data|event|id|retry):/.test(line));
    return lines.some((line) => line.startsWith("data:")) ? [`${lines.join("\n")}\n\n`] : [];
  });
  if (events.some((event) => /^data: ?\{/m.test(event))) return events;
  throw new ImportRefused(0, "The capture holds no server-sent event with JSON data (a line that begins with data:)");
}

/** Gives one event after the other, so that the adapter's message is never ahead of what it tells. */
function bodyOf(events: readonly string[], next: () => void): ReadableStream<Uint8Array> {
  const waiting = [...events];
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await turn();
        const event = waiting.shift();
        if (event === undefined) return controller.close();
        next();
        controller.enqueue(encoder.encode(event));
      },
    },
    { highWaterMark: 0 },
  );
}
