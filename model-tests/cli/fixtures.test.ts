/** The commands around replay fixtures: record, play, and the benchmark of logs. For people who look at fixtures. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { LogReport } from "../bench/log/log-bench.ts";
import { cli, temporaryFolder } from "../testing/cli.ts";

const chunk = (seq: number, time: number, chunk: object): string =>
  JSON.stringify({ type: "assistant/chunk", seq, time, data: { turn: 1, step: 1, chunk } });

const log = `${[
  JSON.stringify({ type: "session", version: 0, id: "s", createdAt: 1_000 }),
  chunk(0, 1_000, { type: "block-start", index: 0, blockType: "text" }),
  JSON.stringify({
    type: "text-chunks",
    seq0: 1,
    time0: 1_100,
    data: { turn: 1, step: 1, index: 0, dt: [0, 0, 400], texts: ["Hel", "lo", " 你", "好"] },
  }),
  chunk(5, 1_600, { type: "block-end", index: 0, block: { type: "text", text: "Hello 你好" } }),
  chunk(6, 1_600, { type: "finish", reason: { kind: "stop" } }),
].join("\n")}\n`;

function recorded(): { folder: string; capture: string; fixture: string } {
  const folder = temporaryFolder();
  const capture = join(folder, "log.jsonl");
  writeFileSync(capture, log);
  return { folder, capture, fixture: join(folder, "fixture.jsonl") };
}

test("[P2] record makes a fixture of a session log, and play shows its requests and when their bursts came", async () => {
  const { capture, fixture } = recorded();

  const made = await cli("record", capture, "--from", "session-log", "--out", fixture);
  const shown = await cli("play", fixture);

  expect(made).toMatchObject({ code: 0, stdout: `${fixture}: 1 requests, 8 events\n` });
  expect(shown.code).toBe(0);
  expect(shown.stdout).toContain("1 request, recorded from 1970-01-01T00:00:01.000Z, complete");
  expect(shown.stdout).toContain("1. streamSimple unknown/unknown: stop");
  expect(shown.stdout).toMatch(/8 events in \d bursts \(largest 3\) over 600 ms/);
  expect(shown.stdout).toContain(`|▆${" ".repeat(9)}█${" ".repeat(39)}▃${" ".repeat(8)}▆|`);
});

test("[B6] play shows the events of one request, each burst at its time", async () => {
  const { capture, fixture } = recorded();
  await cli("record", capture, "--from", "session-log", "--out", fixture);

  const { stdout } = await cli("play", fixture, "--request", "1");

  expect(stdout).toContain('100 ms  text_delta      "Hel" (shows 2 more deltas)');
  expect(stdout).toMatch(/\n {14}text_delta {6}"lo"\n/);
});

test("[P2] a fixture that was cut says that it is a prefix", async () => {
  const { capture, fixture } = recorded();
  await cli("record", capture, "--from", "session-log", "--out", fixture);
  writeFileSync(fixture, readFileSync(fixture, "utf8").split("\n").slice(0, 4).join("\n"));

  const { code, stdout } = await cli("play", fixture);

  expect([code, stdout]).toEqual([0, expect.stringContaining("a prefix: its recorder was not closed")]);
  expect(stdout).toContain("not ended when the recording stopped");
});

test.each([
  ["play", ["play", "absent.jsonl"], /Cannot read "absent.jsonl"/],
  ["play of another file", ["play", "LOG"], /is no replay fixture/],
  ["record", ["record", "absent.sse", "--from", "session-log", "--out", "x"], /Cannot read "absent.sse"/],
  [
    "record of another format",
    ["record", "LOG", "--from", "anthropic-messages", "--out", "x"],
    /holds no server-sent event/,
  ],
  ["record of an unknown format", ["record", "LOG", "--from", "csv", "--out", "x"], /format "csv"/],
  ["bench log without logs", ["bench", "log", "--streams", "absent"], /There is no folder absent/],
])("%s of what it cannot read is a usage error in one line", async (_, argv, message) => {
  const { capture } = recorded();

  const { code, stderr } = await cli(...argv.map((word) => (word === "LOG" ? capture : word)));

  expect(code).toBe(2);
  expect(stderr).toMatch(message);
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
});

test("[P8] bench log measures every policy, and what each gives back after a crash", async () => {
  const { folder } = recorded();
  const { code, stdout } = await cli(
    ...["bench", "log", "--streams", folder, "--deltas", "120", "--runs", "1", "--crashes", "3"],
    ...["--reporter", "pretty,json", "--out", folder],
  );
  const report = JSON.parse(readFileSync(join(folder, "bench-log.json"), "utf8")) as LogReport;

  expect(code).toBe(0);
  expect(stdout).toContain("after a crash at a random burst");
  const bytesOf = (policy: string) =>
    report.costs.find((cost) => cost.policy === policy && cost.answers.startsWith("generated"))?.bytes ?? Number.NaN;
  expect(bytesOf("assembled + fixture, gzip")).toBeLessThan(bytesOf("raw chunk events") / 2);
  expect(bytesOf("full snapshot per update")).toBeGreaterThan(bytesOf("raw chunk events"));
  const restored = report.restores.find(({ policy }) => policy === "assembled + fixture");
  expect(restored?.partial).toBeGreaterThan(0);
  expect(restored?.stream).toBeGreaterThan(0);
});
