/** What a replay has shown, as text. */
import { createColors } from "picocolors";
import { type Cell, cut, indent, table, wrap } from "../draw/layout.ts";
import type { Mismatch } from "../drive/mismatch.ts";
import type { NotOffered, RunEnd } from "../drive/run.ts";
import type { Counterexample } from "../verify/counterexample.ts";
import { labelOf } from "../verify/labels.ts";
import type { Layout } from "./reporter.ts";

export interface ReplayReport {
  readonly file: string;
  readonly sut: string;
  readonly counterexample: Counterexample;
  /** The steps that were driven and matched. */
  readonly steps: readonly {
    readonly label: string;
    readonly seen: readonly string[];
    readonly durable: string;
    readonly atStore: readonly string[];
  }[];
  readonly end: RunEnd;
  /** Whether the counterexample's own divergence came again. */
  readonly shows: boolean;
  /** Divergences that are not the counterexample's. */
  readonly others: readonly Mismatch[];
}

export function replayText(report: ReplayReport, { colour, width }: Layout): string {
  const c = createColors(colour);
  const { counterexample, steps, shows } = report;
  const rows = steps.map(({ label, seen, durable, atStore }, at): Cell[] => [
    { text: String(at + 1), paint: c.dim },
    { text: label },
    { text: cut(seen.join(", ") || "nothing", 44) },
    { text: durable },
    { text: atStore.join(", "), paint: c.dim },
  ]);
  const columns = [
    { title: "", align: "right" },
    { title: "action" },
    { title: "seen" },
    { title: "durable state" },
    { title: "at the store" },
  ] as const;
  const failing = counterexample.schedule[steps.length];
  const failed = failing === undefined || report.end.kind === "completed" ? [] : [c.red(`  ✗ ${failing}`)];
  const { requirement, field, expected, actual } = counterexample;
  const own = { requirement, field, expected, actual };
  return `${[
    `${c.bold(report.sut)}  ${c.dim(report.file)}`,
    "",
    ...table(columns, rows, c.dim).map((line) => indent(line, 2)),
    ...failed,
    "",
    ...(shows ? mismatchLines(own, width) : []),
    ...report.others.flatMap((other) => mismatchLines(other, width)),
    shows ? `${c.red("✗")} the divergence shows` : `${c.green("✓")} the divergence does not show${instead(report)}`,
  ].join("\n")}\n`;
}

const notOfferedText: Readonly<Record<NotOffered, (action: string) => string>> = {
  implementation: (action) => `the implementation does not offer ${action} there`,
  case: (action) => `the implementation took another allowed case of ${action}`,
  choice: (action) => `an earlier choice of the implementation led to a state without ${action}`,
  commit: (action) => `${action} has no such commit to crash at`,
};

function instead({ others, end, steps, counterexample }: ReplayReport): string {
  if (others.length > 0) return ", but another one does";
  if (end.kind !== "not offered") return "";
  return `: ${notOfferedText[end.because](`"${counterexample.schedule[steps.length] ?? labelOf(end.edge)}"`)}`;
}

const mismatchLines = ({ requirement, field, expected, actual }: Mismatch, width: number): string[] => [
  `  ${requirement}  ${field}`,
  ...labelled("expected", expected, width),
  ...labelled("actual", actual, width),
  "",
];

const labelled = (label: string, text: string, width: number): string[] =>
  wrap(text, width - 16).map((line, at) => `    ${(at === 0 ? label : "").padEnd(10)}${line}`);
