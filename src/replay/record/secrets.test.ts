/** What must not be in a fixture is not in it. */
import type { AssistantMessageEvent, SimpleStreamOptions } from "@earendil-works/pi-ai";
import fc from "fast-check";
import { expect, test } from "vitest";
import { generatedModel, StepClock, TextSink } from "../../testing/replay/provider.ts";
import { newPartial } from "../../testing/replay/streams.ts";
import { decodeFixture } from "../fixture/decode.ts";
import { RelayStream } from "../relay.ts";
import { FixtureRecorder } from "./recorder.ts";

/** A provider that repeats a secret wherever it can. */
function echoing(secret: string): AssistantMessageEvent[] {
  const partial = { ...newPartial(), responseId: `id ${secret}`, request: { headers: { authorization: secret } } };
  const json = JSON.stringify({ [secret]: secret });
  const toolCall = { type: "toolCall" as const, id: "c", name: "n", arguments: { [secret]: secret } };
  const diagnostics = [
    { type: "http", timestamp: 0, error: { message: secret, stack: `at ${secret}` }, details: { [secret]: 1 } },
  ];
  const content = [{ type: "text" as const, text: `key ${secret}` }, toolCall];
  const failed = {
    ...partial,
    content,
    diagnostics,
    stopReason: "error" as const,
    errorMessage: `401 bad key ${secret}`,
  };
  return [
    { type: "start", partial },
    { type: "text_start", contentIndex: 0, partial: { ...partial, content: [{ type: "text", text: "" }] } },
    { type: "text_delta", contentIndex: 0, delta: `key ${secret}`, partial: { ...partial, content } },
    { type: "text_end", contentIndex: 0, content: `key ${secret}`, partial: { ...partial, content } },
    { type: "toolcall_start", contentIndex: 1, partial: { ...partial, content } },
    { type: "toolcall_delta", contentIndex: 1, delta: json, partial: { ...partial, content } },
    { type: "toolcall_end", contentIndex: 1, toolCall, partial: { ...partial, content } },
    { type: "error", reason: "error", error: failed },
  ];
}

async function recorded(secret: string, options: SimpleStreamOptions, secrets: string[] = []): Promise<string> {
  const sink = new TextSink();
  const recorder = new FixtureRecorder({ sink, clock: new StepClock(), secrets });
  const model = { ...generatedModel, headers: { "x-model": `Basic ${secret}-of-model` } };
  const provider = recorder.wrap({
    streamSimple: (_model: unknown, _context: unknown, _options: unknown) => {
      const stream = new RelayStream();
      for (const event of echoing(`${secret}`)) stream.give(event);
      stream.close();
      return stream;
    },
  });
  const context = { messages: [{ role: "user", content: `the prompt says ${secret}`, timestamp: 0 }] };
  for await (const _ of provider.streamSimple(model, context, options));
  await recorder.close();
  return sink.text;
}

const hostile = fc
  .oneof(
    fc.string({ minLength: 12 }),
    fc.stringMatching(/^sk-[A-Za-z0-9_-]{20}$/),
    fc.constant('a"b\\c\u2028$&$1\\u0041'),
  )
  .filter((secret) => secret.trim() === secret);

test.each<[string, (secret: string) => SimpleStreamOptions]>([
  ["the key", (apiKey) => ({ apiKey })],
  ["a header", (secret) => ({ headers: { "X-Custom": secret } })],
  ["a bearer token", (secret) => ({ headers: { Authorization: `Bearer ${secret}` } })],
  ["the environment", (secret) => ({ env: { SOME_KEY: secret } })],
])("[P2] %s of a request is never recorded, wherever the provider repeats it", async (_, optionsWith) => {
  await fc.assert(
    fc.asyncProperty(hostile, async (secret) => {
      const text = await recorded(secret, optionsWith(secret));

      expect(text).not.toContain(JSON.stringify(secret).slice(1, -1));
      expect(decodeFixture(text).requests[0]?.end?.kind).toBe("complete");
    }),
    { numRuns: 40 },
  );
});

test("[P2] a secret that the host names is masked with as many characters", async () => {
  const text = await recorded("found-elsewhere-1", {}, ["found-elsewhere-1"]);

  expect(text).not.toContain("found-elsewhere-1");
  expect(text).toContain(`401 bad key ${"*".repeat(17)}`);
});

test("[P2] neither the prompt nor what an adapter keeps on its message is recorded", async () => {
  const text = await recorded("nothing-secret", {});

  expect(text).toContain("nothing-secret");
  expect(text).not.toContain("the prompt says");
  expect(text).not.toContain("authorization");
});
