/** Every reporter is in the table, and each command offers those that it has reports for. */
import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { cli } from "../testing/cli.ts";
import { fails, killed, measured } from "../testing/sample-reports.ts";
import type { Printable, Reporter, ReportingCommand } from "./reporter.ts";
import { plannedReporters, printed, type ReporterName, reporters, reportersOf } from "./reporters.ts";

const plain = { colour: false, width: 100, replayCommand: () => undefined };
const samples: Printable = {
  verify: { report: fails, layout: plain },
  bench: { report: measured, layout: plain },
  crash: { report: killed, layout: plain },
};
/** What every text about a sample must name. */
const facts: Readonly<Record<ReportingCommand, string>> = { verify: "divergence-1", bench: "1.2.3", crash: "jsonl" };
const commands = Object.keys(samples) as ReportingCommand[];

const isReporter = (value: unknown): value is Reporter =>
  typeof value === "object" && value !== null && ["ending", ...commands].every((key) => key in value);

test("every reporter in this folder stands in the table", async () => {
  const files = readdirSync(import.meta.dirname).filter((name) => /^[^.]+\.ts$/.test(name));
  const modules = await Promise.all(
    files.map((name): Promise<object> => import(/* @vite-ignore */ new URL(name, import.meta.url).href)),
  );
  const found = modules.flatMap((module) => Object.values(module)).filter(isReporter);

  expect(new Set(found)).toEqual(new Set(Object.values(reporters)));
});

test("a planned reporter leaves the list of the planned when it is there", () => {
  expect(plannedReporters.filter((name) => name in reporters)).toEqual([]);
});

test("no two reporters write the same file", () => {
  const endings = Object.values(reporters).flatMap(({ ending }) => ending ?? []);

  expect(new Set(endings).size).toBe(endings.length);
});

describe.each(commands)("the reporters of %s", (command) => {
  test("each print a text that ends its last line", () => {
    for (const name of reportersOf(command)) {
      const { report, layout } = samples[command] as Printable["verify"];
      const text = printed(name, command as "verify", report, layout);
      expect(text, name).toContain(facts[command]);
      expect(text.endsWith("\n"), name).toBe(true);
    }
  });

  test("are the ones that its help names, and no other is taken", async () => {
    const [flag = "", ...more] = (await cli(command, "--help")).stdout.split("--reporter <name").slice(1);
    expect(more).toEqual([]);
    const help = flag.split(/\n +-/)[0] ?? "";
    for (const name of Object.keys(reporters) as ReporterName[]) {
      expect(help.includes(name), name).toBe(reportersOf(command).includes(name));
    }
    expect(await cli(command, "--reporter", "xml")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`Known: ${reportersOf(command).join(", ")}.`),
    });
  });
});
