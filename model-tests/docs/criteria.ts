/** The page of the coverage criteria: how large each is at the default bounds, and the races of the graph by their names. */
import { boundsByName, races } from "../../machines/index.ts";
import { count } from "../draw/layout.ts";
import { explore, type Graph } from "../explore/graph.ts";
import { completeSuite } from "../generate/complete.ts";
import { planRace, roadsOf } from "../generate/race-schedules.ts";
import type { Schedule } from "../generate/schedule.ts";
import { coverageTours } from "../verify/coverage.ts";
import type { TrueRacesReport } from "../verify/report.ts";
import { tallyFor } from "../verify/tally.ts";
import { describeTrueRaces } from "../verify/true-races.ts";
import { type Page, page, table } from "./page.ts";

/** Races that no row names and that fewer states have stand in the report, not on the page. */
const frequent = 10;

export function criteriaPage(): Page {
  const graph = explore(boundsByName.default);
  const found = describeTrueRaces(graph, tallyFor(graph));
  return page(
    "generated/criteria.md",
    "The criteria: their sizes",
    "At the default bounds. The cost of a run is its steps: each is performed, waited for and compared. The bound is the least number of steps that any runs need which drive the same; the rows are driven besides, whatever the criterion. [Criteria](../criteria.md) says what each is worth.",
    table(["criterion", "schedules", "steps", "bound"], sizes(graph)),
    "## True races",
    `A true race is a state and two actions that are possible there in both orders, and whose order makes a difference. There are ${count(found.total)}. Rows of [the race table](race-table.md) name ${count(found.named)} of them: ${found.rows.map(({ id, races: named }) => `${id} ${named}`).join(", ")}. The criteria \`races\` and \`pairs\` drive all of them in both orders.`,
    `These are those that no row names, by their two actions, where at least ${frequent} states have them.`,
    unnamedTable(found),
  );
}

const unnamedTable = ({ unnamed }: TrueRacesReport): string =>
  table(
    ["one action", "the other", "states"],
    unnamed
      .filter(({ races: states }) => states >= frequent)
      .map(({ actions, races: states }) => [...actions, count(states)]),
  );

function sizes(graph: Graph): string[][] {
  const roads = roadsOf(graph, new Set(), new Set());
  const ofRows = races.flatMap((race) => planRace(race, roads).schedules);
  const tours = (["transitions", "races", "pairs"] as const).map((criterion) => {
    const { schedules, stepsLowerBound } = coverageTours(graph, criterion);
    return row(`\`${criterion}\``, schedules, count(stepsLowerBound));
  });
  const suites = [0, 1].map((k) => row(`\`complete --k ${k}\``, completeSuite(graph, k).tests(), "none is known"));
  return [row("the rows alone", ofRows, ""), ...tours, ...suites];
}

function row(name: string, schedules: Iterable<Pick<Schedule, "edges">>, bound: string): string[] {
  let size = 0;
  let steps = 0;
  for (const { edges } of schedules) {
    size++;
    steps += edges.length;
  }
  return [name, count(size), count(steps), bound];
}
