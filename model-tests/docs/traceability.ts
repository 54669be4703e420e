/** What checks each requirement, as a page: a heading for each, and short lists below it. */
import { sections } from "../../machines/index.ts";
import { type Evidence, type TraceRow, traceRows } from "../trace/trace.ts";
import { unserved } from "../trace/unserved.ts";
import { bullets, wrapped } from "./page.ts";

export function traceability(evidence: Evidence): string[] {
  const rows = traceRows(evidence, unserved);
  const bySection = Object.entries(sections).flatMap(([letter, title]) => [
    `## ${letter}. ${title}`,
    ...rows.filter(({ id }) => id.startsWith(letter)).flatMap(checks),
  ]);
  const listed = rows.flatMap(({ id, unserved: reason }) => (reason === undefined ? [] : [`${id}: ${reason}`]));
  return [...bySection, "## Not served yet", listed.length === 0 ? "Nothing." : bullets(listed)];
}

function checks({ id, sentence, invariants, races, comparisons, tests }: TraceRow): string[] {
  const fields = [...new Set(comparisons.flatMap((one) => one.fields))];
  const lists = [
    ...named("Invariant", invariants),
    ...named("Race rows", races.length === 0 ? [] : [races.join(", ")]),
    ...named("Compared", fields),
    ...tests.map(({ file, titles }) => `Tests: ${titles.length} in [\`${file}\`](../../${file})`),
  ];
  return [`### ${id}`, wrapped(`[${id}](requirements.md#${id.toLowerCase()}) ${sentence}`), bullets(lists)];
}

const named = (kind: string, texts: readonly string[]): string[] => texts.map((text) => `${kind}: ${text}`);
