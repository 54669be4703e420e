/** `durability bench` as a user runs it, on a short measurement. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { BenchReport } from "../bench/bench-report.ts";
import { cli, temporaryFolder } from "../testing/cli.ts";

const tiny = [
  "--runs",
  "1",
  "--warm-up",
  "1ms",
  "--append-frames",
  "200,100",
  "--stream-frames",
  "5",
  "--recovery-frames",
  "4",
];

test("every store is measured beside pi's, in one report for people and for programs", async () => {
  const folder = temporaryFolder();
  const { code, stdout, stderr } = await cli("bench", "store", ...tiny, "--reporter", "pretty,json", "--out", folder);
  expect([code, stderr]).toEqual([0, ""]);
  const report = JSON.parse(readFileSync(join(folder, "bench-store.json"), "utf8")) as BenchReport;

  expect(report).toMatchObject({
    version: 1,
    benchmark: "store",
    peer: { name: "pi-agent-core", version: "0.87.1" },
    node: process.version,
    runs: 1,
    warmUpMs: 1,
    sizes: { appendFrames: [100, 200], streamFrames: 5, recoveryFrames: [4], framesPerTurn: 100 },
    notes: [],
  });
  expect(report.budgets.map(({ verdict }) => verdict)).toContain("not measured");
  for (const { samples, median } of report.measurements) {
    expect(samples).toEqual([median]);
    expect(median).toBeGreaterThan(0);
  }
  expect(subjectsOf(report, "append rate")).toEqual([
    "memory",
    "jsonl process",
    "jsonl power",
    "sqlite process",
    "sqlite power",
    "pi memory",
    "pi jsonl",
  ]);
  expect(subjectsOf(report, "recovery time")).toEqual(["jsonl", "sqlite", "pi jsonl"]);
  expect(subjectsOf(report, "last event to the end of the operation")).toHaveLength(2);
  for (const { quantity, subject } of report.measurements) {
    expect(stdout).toContain(quantity);
    expect(stdout).toContain(subject);
  }

  // Not a matter of time: every turn hands over a hundred, and pi writes each alone.
  const perWrite = (quantity: string, subject: string) =>
    report.measurements.find((it) => it.quantity === quantity && it.subject === subject);
  expect(perWrite("transactions per COMMIT", "sqlite power")?.median).toBe(100);
  expect(perWrite("transactions per physical write", "jsonl process")?.median).toBeGreaterThan(1);
  expect(perWrite("transactions per physical write", "pi jsonl")?.median).toBe(1);
  expect(perWrite("transactions per fsync", "jsonl power")?.median).toBeGreaterThan(1);
  expect(perWrite("transactions per fsync", "jsonl process")).toBeUndefined();
  expect(perWrite("append rate", "jsonl power")?.ratio).toBeGreaterThan(0);
});

test.each([
  [["bench", "speed"], 'Unknown benchmark "speed". Known: store, log.'],
  [["bench", "--runs", "0"], '--runs "0" is no whole number from 1 to 1000.'],
  [["bench", "--warm-up", "0s"], '--warm-up "0s" is no time. Give a number and its unit, ms, s or m, such as 60s.'],
  [["bench", "--append-frames", "10,x"], '--append-frames "x" is no whole number from 3 to 10000000.'],
  [["bench", "--recovery-frames", "10,"], '--recovery-frames "10," has an empty part.'],
  [["bench", "--reporter", "pretty,json"], "--reporter pretty,json needs --out DIR"],
])("%j is wrong usage, and says how to mend it", async (argv, message) => {
  const { code, stderr } = await cli(...argv);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});

function subjectsOf({ measurements }: BenchReport, quantity: string): string[] {
  return [...new Set(measurements.filter((it) => it.quantity === quantity).map(({ subject }) => subject))];
}
