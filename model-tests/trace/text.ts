/** The traceability matrix on a terminal. */
import { createColors } from "picocolors";
import { sections } from "../../machines/index.ts";
import { type Colours, indent, plural, wrap } from "../draw/layout.ts";
import { isInOrder, type TraceRow, traceFindings } from "./trace.ts";

export interface TraceOptions {
  readonly colour: boolean;
  readonly width: number;
}

const margin = 7;

/** The whole matrix by section, and what is wrong with it. */
export function traceText(rows: readonly TraceRow[], { colour, width }: TraceOptions): string {
  const c = createColors(colour);
  const bySection = Object.entries(sections).flatMap(([letter, title]) => {
    const own = rows.filter(({ id }) => id.startsWith(letter));
    return own.length === 0 ? [] : [[c.bold(`${letter}  ${title}`), ...own.map((row) => line(row, width, c)), ""]];
  });
  return `${[...bySection.flat(), ...verdict(rows, c)].join("\n")}\n`;
}

function line(row: TraceRow, width: number, c: Colours): string {
  const [first = "", ...rest] = wrap(summary(row), width - margin);
  const paint = row.checked ? (text: string) => text : row.unserved === undefined ? c.yellow : c.dim;
  return [`  ${row.id.padEnd(margin - 2)}${paint(first)}`, ...rest.map((text) => indent(paint(text), margin))].join(
    "\n",
  );
}

function summary(row: TraceRow): string {
  if (!row.checked) return row.unserved === undefined ? `unchecked: ${row.sentence}` : `not served: ${row.unserved}`;
  const fields = new Set(row.comparisons.flatMap((one) => one.fields));
  return [
    ...row.invariants.map(() => "invariant"),
    ...(row.races.length > 0 ? [`races ${row.races.join(" ")}`] : []),
    ...(fields.size > 0 ? [`compares ${[...fields].join(", ")}`] : []),
    ...(row.tests.length > 0 ? [`tests ${row.tests.map(countOf).join(", ")}`] : []),
    ...(row.unserved === undefined ? [] : [`listed as not served: ${row.unserved}`]),
  ].join("; ");
}

const countOf = ({ file, titles }: TraceRow["tests"][number]): string =>
  `${file
    .split("/")
    .at(-1)
    ?.replace(/\.test\.ts$/, "")} ${titles.length}`;

function verdict(rows: readonly TraceRow[], c: Colours): string[] {
  const findings = traceFindings(rows);
  const unserved = rows.filter((row) => row.unserved !== undefined).length;
  const counts = `${plural(rows.length, "requirement")}, ${findings.unchecked.length} unchecked, ${unserved} not served yet`;
  if (isInOrder(findings)) return [counts];
  const { unchecked, stale } = findings;
  return [
    counts,
    ...(unchecked.length > 0 ? [c.red(`Nothing checks ${unchecked.join(", ")}.`)] : []),
    ...(stale.length > 0 ? [c.red(`Checked after all, so take ${stale.join(", ")} off trace-unserved.ts.`)] : []),
  ];
}

/** One requirement in full: its sentence, and each check by its own name. */
export function traceDetail(row: TraceRow, { colour, width }: TraceOptions): string {
  const c = createColors(colour);
  const part = (title: string, items: readonly string[]): string[] =>
    items.length === 0 ? [] : [`  ${c.bold(title)}`, ...items.map((item) => `    ${item}`)];
  return `${[
    c.bold(row.id),
    ...wrap(row.sentence, width - 2).map((text) => indent(text, 2)),
    ...part("invariant", row.invariants),
    ...part("race rows", row.races),
    ...row.comparisons.flatMap(({ module, fields }) => part(`compared in ${module}`, fields)),
    ...row.tests.flatMap(({ file, titles }) => part(file, titles)),
    ...part("not served", row.unserved === undefined ? [] : [row.unserved]),
    ...(row.checked || row.unserved !== undefined ? [] : [c.yellow("  unchecked")]),
  ].join("\n")}\n`;
}
