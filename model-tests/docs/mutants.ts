/** The page of the mutants: how many of each section are noticed, which are not, and which are the hardest to see. */
import { join } from "node:path";
import { grouped } from "../draw/grouped.ts";
import { catalogue, type Listed } from "../mutate/catalogue/catalogue.ts";
import { kinds } from "../mutate/mutant.ts";
import { readResults, type StoredResult } from "../mutate/results.ts";
import { isDetected } from "../mutate/verdict.ts";
import { packageRoot } from "../package-root.ts";
import { type Page, page, table } from "./page.ts";

/** What the last whole campaign came to. */
const baselinePath = "model-tests/mutate/baseline.json";

const hardest = 10;

interface Row extends Listed {
  readonly result: StoredResult | undefined;
}

export function mutantsPage(): Page {
  const byName = new Map(readResults(join(packageRoot(), baselinePath)).map((result) => [result.name, result]));
  const rows: Row[] = catalogue.map((listed) => ({ ...listed, result: byName.get(listed.mutant.name) }));
  return page(
    "generated/mutants.md",
    "The mutants",
    "Each is one deliberate fault in a copy of a harness or a store. A default verification is stopped at its first unlisted divergence; what no schedule drives is judged by tests of the copy. `durability mutate` tries them, and `--again survived` tries anew what was missed.",
    "## Score",
    table(
      ["section", "of", "mutants", "noticed", "survived", "undecided"],
      scoreOf(
        rows,
        ({ section }) => section,
        ({ target }) => target,
      ),
    ),
    "## By kind",
    table(
      ["kind", "mutants", "noticed", "survived", "undecided"],
      scoreOf(rows, ({ mutant }) => kinds[mutant.kind]),
    ),
    "## Not noticed",
    "An undecided one was given up when its budget was spent: nothing was seen until then.",
    table(["mutant", "verdict", "failure", "breaks", "who ought to see it"], rows.flatMap(missed)),
    "## The hardest to notice",
    table(
      ["mutant", "failure", "schedules until it was seen", "seen as"],
      rows
        .flatMap(found)
        .sort(byEffort)
        .slice(0, hardest)
        .map(({ cells }) => cells),
    ),
  );
}

/** One line for each group: its name, what `more` adds, and how many of it were noticed. */
function scoreOf(rows: readonly Row[], groupOf: (row: Row) => string, ...more: ((row: Row) => string)[]): string[][] {
  const groups = grouped(rows, groupOf);
  return [...groups].map(([name, members]) => {
    const [first] = members as [Row];
    const count = (isCounted: (row: Row) => boolean): string => String(members.filter(isCounted).length);
    return [
      name,
      ...more.map((cell) => cell(first)),
      String(members.length),
      count(({ result }) => result !== undefined && isDetected(result)),
      count(({ result }) => result?.verdict === "survived"),
      count(({ result }) => result === undefined || result.verdict === "undecided"),
    ];
  });
}

function missed({ mutant, result }: Row): string[][] {
  if (result !== undefined && isDetected(result)) return [];
  const { name, failure, requirements, seenBy } = mutant;
  return [[name, result?.verdict ?? "not tried", failure, requirements.join(", "), seenBy]];
}

interface Found {
  readonly schedules: number;
  readonly cells: string[];
}

function found({ mutant: { name, failure }, result }: Row): Found[] {
  if (result?.verdict !== "caught" || result.schedules === undefined) return [];
  const { schedules, by = "" } = result;
  return [{ schedules, cells: [name, failure, String(schedules), by] }];
}

const byEffort = (a: Found, b: Found): number => b.schedules - a.schedules;
