/** Fixtures of captured HTTP answers. */
import { expect, test } from "vitest";
import { ImportRefused } from "../../errors.ts";
import type { Fixture } from "../fixture/fixture.ts";
import { StreamPlayer } from "../fixture/player.ts";
import { importSse } from "./sse.ts";

const chat = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: "r1", model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

const completions = [
  chat({ role: "assistant", content: "Hel" }),
  chat({ content: "lo 😀" }),
  chat({ tool_calls: [{ index: 0, id: "c1", type: "function", function: { name: "read", arguments: "" } }] }),
  chat({ tool_calls: [{ index: 0, function: { arguments: '{"path":' } }] }),
  chat({ tool_calls: [{ index: 0, function: { arguments: '"a"}' } }] }),
  chat({}, "tool_calls"),
  "data: [DONE]\n\n",
].join("");

const event = (type: string, data: object): string =>
  `event: ${type}\r\ndata: ${JSON.stringify({ type, ...data })}\r\n\r\n`;

const messages = [
  event("message_start", { message: { id: "r2", usage: { input_tokens: 3, output_tokens: 1 } } }),
  event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
  event("content_block_delta", { index: 0, delta: { type: "text_delta", text: "Hi" } }),
  event("content_block_delta", { index: 0, delta: { type: "text_delta", text: " there" } }),
  event("content_block_stop", { index: 0 }),
  event("message_delta", { delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } }),
  event("message_stop", {}),
].join("");

function finalOf({ requests }: Fixture) {
  const events = requests[0]?.events ?? [];
  const player = new StreamPlayer();
  const last = events.map((_, index) => player.play(events, index)).at(-1);
  return last?.type === "done" ? last.message : last?.type === "error" ? last.error : undefined;
}

const deltasOf = ({ requests }: Fixture): string[] =>
  (requests[0]?.events ?? []).flatMap(({ event: { ...bare } }) => ("delta" in bare ? [bare.delta] : []));

test("[P2] a capture of OpenAI-compatible chat completions becomes a fixture with the same deltas and times", async () => {
  const fixture = await importSse(completions, { format: "openai-completions", gapMs: 10 });

  expect(deltasOf(fixture).join("|")).toBe('Hel|lo 😀||{"path":|"a"}');
  expect(finalOf(fixture)).toMatchObject({
    stopReason: "toolUse",
    responseId: "r1",
    content: [{ text: "Hello 😀" }, { id: "c1", name: "read", arguments: { path: "a" } }],
  });
  expect(fixture.requests[0]?.events.at(-1)?.at).toBeGreaterThan(40);
});

test("[P2] a capture of Anthropic messages becomes a fixture, with line ends of either kind", async () => {
  const fixture = await importSse(messages, { format: "anthropic-messages" });

  expect(deltasOf(fixture)).toEqual(["Hi", " there"]);
  expect(finalOf(fixture)).toMatchObject({ stopReason: "stop", content: [{ text: "Hi there" }], usage: { input: 3 } });
});

test("[P2] a capture that was cut off becomes a failed stream that keeps its partial", async () => {
  const cut = messages.slice(0, messages.indexOf("event: content_block_stop"));

  const fixture = await importSse(cut, { format: "anthropic-messages" });

  expect(finalOf(fixture)).toMatchObject({ stopReason: "error", content: [{ text: "Hi there" }] });
});

test.each(["", "HTTP/1.1 200 OK\n\n", "data: [DONE]\n\n", "<html>"])("[P2] %j is no capture", async (text) => {
  await expect(importSse(text, { format: "openai-completions" })).rejects.toThrow(ImportRefused);
});
