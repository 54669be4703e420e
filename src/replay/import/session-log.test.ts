/** Fixtures of recorded session logs: nothing that a model streamed is lost. */
import { expect, test } from "vitest";
import { ImportRefused } from "../../errors.ts";
import { exportChunkRows } from "../../testing/replay/log-export.ts";
import { recordedLogs } from "../../testing/replay/recorded-logs.ts";
import { decodeFixture } from "../fixture/decode.ts";
import { encodeFixture } from "../fixture/encode.ts";
import { StreamPlayer } from "../fixture/player.ts";
import { readSessionLog } from "./log-rows.ts";
import { importSessionLog } from "./session-log.ts";

const logs = recordedLogs();

const isChunkRow = (line: string): boolean => /^\{"type":"(assistant\/chunk|[a-z-]+-chunks)"/.test(line);

test.each(logs)(
  "[P2] $name: the chunk rows told from the encoded fixture are those of the log, byte for byte",
  ({ text }) => {
    const fixture = decodeFixture(encodeFixture(importSessionLog(text)));

    const expected = text.split("\n").filter(isChunkRow);
    expect(expected.length).toBeGreaterThan(10);
    expect(exportChunkRows(fixture)).toEqual(expected);
  },
);

test.each(logs)("[P2] $name: decoded, the fixture is the same, and so is its text", ({ text }) => {
  const fixture = importSessionLog(text);
  const encoded = encodeFixture(fixture);

  expect(decodeFixture(encoded)).toEqual(fixture);
  expect(encodeFixture(decodeFixture(encoded))).toBe(encoded);
});

test.each(logs)("[P2] $name: packed rows and single chunks give the same fixture", ({ text }) => {
  const { events } = readSessionLog(text);
  const header = text.slice(0, text.indexOf("\n"));
  const unpacked = [header, ...events.map(({ line: _, ...event }) => JSON.stringify(event))].join("\n");

  expect(unpacked.split("\n").length).toBeGreaterThan(text.trimEnd().split("\n").length);
  expect(importSessionLog(`${unpacked}\n`)).toEqual(importSessionLog(text));
});

test.each(logs)("[P3] $name: the played messages are the assembled messages of the log", ({ text }) => {
  const { events } = readSessionLog(text);
  const assembled = events.flatMap(({ type, data }) =>
    type === "assistant/message" ? [(data.message as { content: LogBlock[] }).content.map(wordsOf)] : [],
  );

  const played = importSessionLog(text).requests.map(({ events: recorded }) => {
    const player = new StreamPlayer();
    const last = recorded.map((_, index) => player.play(recorded, index)).at(-1);
    return last?.type === "done" ? last.message.content.map(wordsOf) : [];
  });
  expect(played).toEqual(assembled);
});

type LogBlock = { type: string; text?: string; thinking?: string; name?: string; arguments?: unknown };

const wordsOf = ({ text, thinking, name, arguments: given }: LogBlock): unknown =>
  text ?? thinking ?? [name, typeof given === "string" ? JSON.parse(given) : given];

test("[B6] the recorded bursts are in the fixtures", () => {
  const ahead = logs.flatMap(({ text }) =>
    importSessionLog(text).requests.flatMap(({ events }) => events.map((e) => e.ahead ?? 0)),
  );

  expect(Math.max(...ahead)).toBeGreaterThan(3);
});

const refusals = [
  ["another version", (text: string) => text.replace('"version":0', '"version":1'), /version 1/],
  ["no header", (text: string) => text.slice(text.indexOf("\n") + 1), /no header/],
  ["a line that is cut", (text: string) => `${text.slice(0, text.length / 2)}\n`, /no JSON/],
  ["a missing event", (text: string) => text.replace(/\n\{"type":"assistant\/chunk"[^\n]*/, ""), /missing/],
  ["a run with a gap too few", (text: string) => text.replace('"dt":[', '"dt":[0,'), /counts/],
  [
    "a delta of a block that was never started",
    (text: string) => text.replace('"block-start","index":0', '"block-start","index":1'),
    /block 1/,
  ],
] as const;

test.each(refusals)("[P7] a log with %s is refused, with the line", (_, damage, message) => {
  const damaged = damage(logs[0]?.text ?? "");

  expect(damaged).not.toBe(logs[0]?.text);
  expect(() => importSessionLog(damaged)).toThrow(ImportRefused);
  expect(() => importSessionLog(damaged)).toThrow(message);
});
