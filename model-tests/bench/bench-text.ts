/** The report of a benchmark for people. */
import { createColors } from "picocolors";
import { type Cell, count, duration, plural, table, wrap } from "../draw/layout.ts";
import type { BenchReport } from "./bench-report.ts";
import type { Budget } from "./budgets.ts";
import type { Measurement } from "./measurement.ts";

export interface TextOptions {
  readonly colour: boolean;
  readonly width: number;
}

export function benchText(report: BenchReport, options: TextOptions): string {
  const { dim } = createColors(options.colour);
  const head = headOf(report).flatMap((line) => wrap(line, options.width).map(dim));
  return `${[...head, "", figuresText(report, options)].join("\n")}\n`;
}

/** What was measured, without the machine. */
export function figuresText(report: BenchReport, { colour, width }: TextOptions): string {
  const c = createColors(colour);
  const quantities = [...new Set(report.measurements.map(({ quantity }) => quantity))];
  return [
    ...quantities.flatMap((quantity) => [c.bold(quantity), ...quantityTable(report, quantity, c.dim), ""]),
    c.bold("budgets"),
    ...budgetTable(report.budgets, { met: c.green, "not met": c.red, "not measured": c.dim }, c.dim),
    ...(report.notes.length === 0 ? [] : ["", ...report.notes.flatMap((note) => wrap(note, width))]),
  ].join("\n");
}

function headOf({ package: own, peer, node, machine, runs, warmUpMs, sizes, durationMs }: BenchReport): string[] {
  const beside = peer === null ? "" : ` beside ${peer.name} ${peer.version}`;
  return [
    `${own.name} ${own.version}${beside}, Node ${node}, ${machine.platform}, ${machine.cpu}, ${plural(machine.cores, "core")}, ${count(machine.memoryMb)} MB, load ${machine.load.toFixed(1)}`,
    `median of ${plural(runs, "run")} (least to greatest) after ${duration(warmUpMs)} to warm up, ${sizes.framesPerTurn} appends a turn of the event loop, streams of ${count(sizes.streamFrames)} frames, ${duration(durationMs)} in all`,
  ];
}

function quantityTable({ measurements }: BenchReport, quantity: string, dim: (text: string) => string): string[] {
  const rows = measurements.filter((it) => it.quantity === quantity);
  const ratios = rows.some(({ ratio }) => ratio !== undefined);
  const right = "right" as const;
  return table(
    [
      { title: "  of" },
      { title: "at" },
      { title: rows[0]?.unit ?? "", align: right },
      { title: "runs", align: right },
      ...(ratios ? [{ title: "to pi's", align: right }] : []),
    ],
    rows.map((row): Cell[] => [
      { text: `  ${row.subject}` },
      { text: row.at },
      { text: figure(row.median) },
      { text: rangeOf(row), paint: dim },
      { text: row.ratio === undefined ? "" : `${figure(row.ratio)} x` },
    ]),
    dim,
  );
}

function budgetTable(
  budgets: readonly Budget[],
  paint: Readonly<Record<Budget["verdict"], (text: string) => string>>,
  dim: (text: string) => string,
): string[] {
  const right = "right" as const;
  return table(
    [
      { title: "  of" },
      { title: "budget", align: right },
      { title: "measured", align: right },
      { title: "" },
      { title: "at" },
    ],
    budgets.map(({ budget, bound, limit, unit, measured, verdict, at = "" }): Cell[] => [
      { text: `  ${budget}` },
      { text: `${bound} ${figure(limit)}${unit === "ratio" ? "" : ` ${unit}`}` },
      { text: measured === undefined ? "" : figure(measured) },
      { text: verdict, paint: paint[verdict] },
      { text: at },
    ]),
    dim,
  );
}

const rangeOf = ({ samples }: Measurement): string =>
  samples.length < 2 ? "" : `${figure(Math.min(...samples))} to ${figure(Math.max(...samples))}`;

/** Three digits are all that a measurement is worth. */
function figure(value: number): string {
  if (value >= 100) return count(value);
  return String(Number(value.toPrecision(3)));
}
