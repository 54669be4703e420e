/** One divergence in full, as a person needs it: the broken rule, what was seen, how it came about, how to see it again. */

import { type Colours, indent, plural, wrap } from "../draw/layout.ts";
import type { DivergenceReport } from "../verify/report.ts";

export function divergenceLines(
  divergence: DivergenceReport,
  position: string,
  c: Colours,
  width: number,
  replay: string | undefined,
): string[] {
  const { id, requirement, sentence, schedule, action, races, times, sequenceDiagram } = divergence;
  const occurs = `seen ${plural(times, "time")}${races.length === 0 ? "" : `, in the races ${races.join(", ")}`}`;
  return [
    `${c.red(c.bold(`✗ Divergence ${position}`))}  ${c.dim(`${id}, ${occurs}`)}`,
    "",
    ...paragraph(c.bold(requirement), requirement.length, sentence, width),
    "",
    `  At step ${schedule.length}, ${c.bold(action)}, the specification and the implementation part:`,
    ...comparison(divergence, c, width),
    "",
    ...paragraph("schedule", "schedule".length, schedule.join(" > "), width),
    "",
    indent(sequenceDiagram.trimEnd(), 2),
    "",
    replay === undefined
      ? "  To see it again, give verify --out DIR and replay the file it writes."
      : `  replay    ${c.cyan(replay)}`,
  ];
}

const labelWidth = 10;

function paragraph(label: string, labelLength: number, text: string, width: number): string[] {
  const [first = "", ...rest] = wrap(text, width - 2 - labelWidth);
  const space = " ".repeat(2 + labelWidth);
  return [
    `  ${label}${" ".repeat(Math.max(1, labelWidth - labelLength))}${first}`,
    ...rest.map((line) => space + line),
  ];
}

/** The one field in which the step parts from the specification. */
function comparison({ expected, actual }: DivergenceReport, c: Colours, width: number): string[] {
  return Object.keys(expected).flatMap((field) => [
    ...paragraph("field", "field".length, field, width),
    ...paragraph(c.green("expected"), "expected".length, expected[field] ?? "", width),
    ...paragraph(c.red("actual"), "actual".length, actual[field] ?? "", width),
  ]);
}
