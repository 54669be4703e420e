/** The traceability matrix as tables, section by section. */
import { sections } from "../../machines/index.ts";
import { cut } from "../draw/layout.ts";
import { type Evidence, type TraceRow, traceRows } from "../trace/trace.ts";
import { unserved } from "../trace/unserved.ts";
import { table } from "./page.ts";

/** Enough to know which one it is; the page of the requirements has all of it. */
const sentenceWidth = 100;

const head = ["id", "requirement", "invariants", "race rows", "compared fields", "named tests"];

export function matrix(evidence: Evidence): string[] {
  const rows = traceRows(evidence, unserved);
  const bySection = Object.entries(sections).flatMap(([letter, title]) => [
    `## ${letter}. ${title}`,
    table(
      head,
      rows
        .filter(({ id }) => id.startsWith(letter))
        .map((row) => [row.id, cut(row.sentence, sentenceWidth), ...checks(row)]),
    ),
  ]);
  const listed = rows.flatMap(({ id, unserved: reason }) => (reason === undefined ? [] : [[id, reason]]));
  return [...bySection, "## Not served yet", table(["id", "why nothing has to check it"], listed)];
}

function checks({ invariants, races, comparisons, tests }: TraceRow): string[] {
  const fields = new Set(comparisons.flatMap((one) => one.fields));
  return [invariants.join("; "), races.join(" "), [...fields].join("; "), tests.map(countOf).join("; ")];
}

const countOf = ({ file, titles }: TraceRow["tests"][number]): string => `${titles.length} in \`${file}\``;
