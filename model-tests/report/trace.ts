/** Which checks serve which requirement: a pure function of the specification and the text of the sources. */
import { createColors } from "picocolors";
import { invariants, type RequirementId, races, requirementIds, requirements, sections } from "../../machines/index.ts";
import { cut, plural } from "./layout.ts";

export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

export interface TraceRow {
  readonly id: RequirementId;
  readonly sentence: string;
  readonly invariants: readonly string[];
  readonly races: readonly string[];
  /** Modules that compare an observed field on its behalf. */
  readonly comparisons: readonly string[];
  readonly tests: readonly string[];
  readonly checked: boolean;
}

/** @param sources every test file, and the modules of the driver and the world; empty in an installed package. */
export function traceRows(sources: readonly SourceFile[]): TraceRow[] {
  const tests = collect(sources.filter(isTest), idsInTitles);
  const comparisons = collect(
    sources.filter((file) => !isTest(file)),
    idsInStrings,
  );
  return requirementIds.map((id): TraceRow => {
    const row = {
      id,
      sentence: requirements[id],
      invariants: invariants.filter((invariant) => invariant.id === id).map(({ title }) => title),
      races: races.filter((race) => race.requirements.includes(id)).map((race) => race.id),
      comparisons: comparisons.get(id) ?? [],
      tests: tests.get(id) ?? [],
    };
    const checked = [row.invariants, row.races, row.comparisons, row.tests].some((found) => found.length > 0);
    return { ...row, checked };
  });
}

const isTest = ({ path }: SourceFile): boolean => /\.test(-d)?\.ts$/.test(path);

function collect(files: readonly SourceFile[], idsIn: (text: string) => readonly string[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { path, text } of files) {
    for (const id of new Set(idsIn(text))) found.set(id, [...(found.get(id) ?? []), path]);
  }
  return found;
}

/** Ids in brackets, `[C1]`, inside the titles of tests. */
function idsInTitles(text: string): string[] {
  const titles = text.match(/(["'`])(?:(?!\1)[^\\\n]|\\.)*\[[A-Z]\d+\](?:(?!\1)[^\\\n]|\\.)*\1/g) ?? [];
  return titles.flatMap((title) => [...title.matchAll(/\[([A-Z]\d+)\]/g)].map(([, id]) => id as string));
}

/** Ids that stand alone as a string: the requirement of a compared field. */
const idsInStrings = (text: string): string[] => [...text.matchAll(/"([A-Z]\d+)"/g)].map(([, id]) => id as string);

export interface TraceOptions {
  readonly colour: boolean;
  readonly width: number;
  readonly withSources: boolean;
}

export function traceText(rows: readonly TraceRow[], { colour, width, withSources }: TraceOptions): string {
  const c = createColors(colour);
  // Without the sources nobody can tell: a test may well check it.
  const nothing = withSources ? "unchecked" : "no invariant or race";
  const line = (row: TraceRow): string => {
    const start = `  ${row.id.padEnd(4)} `;
    if (row.checked) return start + cut(checksOf(row), width - start.length);
    return `${start}${c.yellow(nothing)}  ${c.dim(cut(row.sentence, width - start.length - nothing.length - 2))}`;
  };
  const bySection = Object.entries(sections).map(([letter, title]) => {
    const own = rows.filter(({ id }) => id.startsWith(letter));
    return [c.bold(`${letter}  ${title}`), ...own.map(line), ""].join("\n");
  });
  const unchecked = rows.filter(({ checked }) => !checked).length;
  const note = withSources
    ? []
    : ["The sources are not here, so neither tests nor compared fields are counted. Run this in a clone.", ""];
  return `${[...bySection, ...note, `${plural(rows.length, "requirement")}, ${unchecked} ${withSources ? "unchecked" : "without an invariant or race"}`].join("\n")}\n`;
}

function checksOf({ invariants: own, races: rows, comparisons, tests }: TraceRow): string {
  const name = (path: string): string => path.split("/").at(-1) ?? path;
  return [
    ...own.map(() => "invariant"),
    ...(rows.length > 0 ? [`races ${rows.join(" ")}`] : []),
    ...(comparisons.length > 0 ? [`compared in ${comparisons.map(name).join(", ")}`] : []),
    ...(tests.length > 0 ? [`tests ${tests.map(name).join(", ")}`] : []),
  ].join("; ");
}
