/** The report of the benchmark of logs for people, with a plot. */
import { createColors } from "picocolors";
import { bar, type Cell, count, table } from "../../draw/layout.ts";
import type { LogCost, LogReport, LogRestore } from "./log-bench.ts";

const rawName = "raw chunk events";
const right = "right" as const;
const barWidth = 40;

export function logText(report: LogReport, { colour }: { readonly colour: boolean }): string {
  const c = createColors(colour);
  const names = report.answers.map(({ name }) => name);
  return `${[
    c.dim(`${report.package.name} ${report.package.version}, Node ${report.node}, median of ${report.runs} runs`),
    "",
    ...names.flatMap((name) => [c.bold(titleOf(report, name)), ...costTable(report.costs, name, c.dim), ""]),
    c.bold("bytes on disk of all answers"),
    ...plot(report),
    "",
    c.bold(`after a crash at a random burst, ${report.restores[0]?.crashes ?? 0} crashes each`),
    ...restoreTable(report.restores, c.dim),
  ].join("\n")}\n`;
}

function titleOf({ answers }: LogReport, name: string): string {
  const found = answers.find((one) => one.name === name);
  return `${name}: ${count(found?.requests ?? 0)} answers, ${count(found?.events ?? 0)} events`;
}

function costTable(costs: readonly LogCost[], name: string, dim: (text: string) => string): string[] {
  const rows = costs.filter(({ answers }) => answers === name);
  const raw = rows.find(({ policy }) => policy === rawName)?.bytes ?? 0;
  return table(
    [
      { title: "  policy" },
      { title: "bytes", align: right },
      { title: "of raw", align: right },
      { title: "write ms", align: right },
      { title: "load ms", align: right },
    ],
    rows.map(({ policy, bytes, writeMs, loadMs }): Cell[] => [
      { text: `  ${policy}` },
      { text: count(bytes) },
      { text: percent(bytes / raw) },
      { text: writeMs.toFixed(1) },
      { text: loadMs.toFixed(1) },
    ]),
    dim,
  );
}

/** Bytes of all answers together, for each policy. */
function totals({ costs }: LogReport): { policy: string; bytes: number }[] {
  const policies = [...new Set(costs.map(({ policy }) => policy))];
  return policies
    .map((policy) => ({
      policy,
      bytes: costs.reduce((sum, cost) => sum + (cost.policy === policy ? cost.bytes : 0), 0),
    }))
    .filter(({ bytes }) => bytes > 0);
}

/** The snapshots would leave nothing to see of the others: they are written as a figure. */
function plot(report: LogReport): string[] {
  const all = totals(report);
  const raw = all.find(({ policy }) => policy === rawName)?.bytes ?? 1;
  const width = Math.max(...all.map(({ policy }) => policy.length));
  return all.map(({ policy, bytes }) => {
    const drawn = bytes > 2 * raw ? "▶".padStart(barWidth, "█") : bar(Math.min(bytes, raw), raw, barWidth);
    return `  ${policy.padEnd(width)}  ${drawn}  ${count(bytes)}`;
  });
}

function restoreTable(restores: readonly LogRestore[], dim: (text: string) => string): string[] {
  return table(
    [
      { title: "  policy" },
      { title: "earlier answers", align: right },
      { title: "interrupted partial", align: right },
      { title: "earlier streams", align: right },
      { title: "interrupted stream", align: right },
    ],
    restores.map(({ policy, answers, partial, streams, stream }): Cell[] => [
      { text: `  ${policy}` },
      { text: percent(answers) },
      { text: percent(partial) },
      { text: percent(streams) },
      { text: percent(stream) },
    ]),
    dim,
  );
}

const percent = (part: number): string => `${(100 * part).toFixed(1)} %`;
