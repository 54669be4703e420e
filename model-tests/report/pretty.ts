/** The reporter for people: text for a terminal. */
import { createColors } from "picocolors";
import { benchText } from "../bench/bench-text.ts";
import { logText } from "../bench/log/log-text.ts";
import { crashText } from "../crash/report.ts";
import {
  bar,
  type Cell,
  type Colours,
  count,
  cut,
  duration,
  indent,
  percent,
  plural,
  table,
  wrap,
} from "../draw/layout.ts";
import { drivesAll } from "../verify/options.ts";
import type { CoverageFigures, DivergenceReport, InvariantReport, RaceReport, Report } from "../verify/report.ts";
import { divergenceLines } from "./divergence.ts";
import type { Prints, Reporter, VerifyLayout } from "./reporter.ts";

const prettyBench: Prints["bench"] = (report, layout) =>
  report.benchmark === "log" ? logText(report, layout) : benchText(report, layout);

export const pretty: Reporter = { ending: undefined, verify: prettyReport, bench: prettyBench, crash: crashText };

/** Wider lines are harder to read, narrower ones break the tables. */
const widest = 110;
const narrowest = 72;

/** Unlisted divergences beyond these share their cause more often than not. */
const shownInFull = 3;

export function prettyReport(report: Report, options: VerifyLayout): string {
  const c = createColors(options.colour);
  const width = Math.max(narrowest, Math.min(widest, options.width));
  const parts = [
    title(report, c, width),
    raceLines(report.races, c, width),
    coverageLines(report, c),
    invariantLines(report.invariants, c, width),
    figureLines(report, c),
    certificateLines(report, c, width),
    knownLines(report, c, width),
    unlistedLines(report, c, width, options),
    verdictLines(report, c, width, options),
  ];
  return `\n${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n\n`;
}

function title(report: Report, c: Colours, width: number): string[] {
  const { sut, store, criterion, boundsName, seed, shard } = report;
  const facts = [
    `${store} store`,
    `criterion ${criterion}`,
    `${boundsName} bounds`,
    `seed ${seed}`,
    ...(shard === "1/1" ? [] : [`shard ${shard}`]),
  ];
  return [`${c.bold(`${sut.name} ${sut.version}`)}  ${c.dim(facts.join(" · "))}`, c.dim("─".repeat(width))];
}

const section = (name: string, c: Colours): string => c.bold(name);
const body = (lines: readonly string[]): string[] => lines.map((line) => (line === "" ? line : indent(line, 2)));

// --- races -----------------------------------------------------------------------------------------------------------

const verdictPaint = (status: RaceReport["status"], c: Colours) => {
  if (status === "holds") return c.green;
  return status === "fails" || status === "vacuous" ? c.red : c.yellow;
};

const kinds = [
  ["choice", "either order may happen: both are driven"],
  ["precedence", "order 1 is driven, order 2 is provoked and must not happen"],
] as const;

/** One table of both kinds, so that their columns align, under a head for each kind. */
function raceLines(races: readonly RaceReport[], c: Colours, width: number): string[] {
  if (races.length === 0) return [];
  const bare = raceTable(races, 0, c).map((line) => line.replace(ansi, "").length);
  const [head = "", ...lines] = raceTable(races, width - 2 - Math.max(...bare), c);
  const groups = kinds.flatMap(([kind, meaning]) => {
    const own = lines.filter((_, at) => races[at]?.kind === kind);
    return own.length === 0 ? [] : ["", `${kind}  ${c.dim(meaning)}`, ...own];
  });
  const anyFailed = races.some(({ orders }) => orders.some(({ failed }) => failed > 0));
  const legend = `states: where both actions are possible; order 1, 2: schedules driven with the one or the other action first${anyFailed ? " (n/m: n of m failed)" : ""}; crashes: those that crash on the way.`;
  return [section("Races", c), ...body([head, ...groups.slice(1), "", ...wrap(legend, width - 2).map(c.dim)])];
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control characters.
const ansi = /\u001b\[\d+m/g;

function raceTable(races: readonly RaceReport[], titleWidth: number, c: Colours): string[] {
  const columns = [
    { title: "" },
    { title: "" },
    { title: "states", align: "right" },
    { title: "order 1", align: "right" },
    { title: "order 2", align: "right" },
    { title: "crashes", align: "right" },
    { title: "verdict" },
  ] as const;
  const rows = races.map((race): Cell[] => [
    { text: race.id, paint: c.bold },
    { text: titleWidth === 0 ? "" : cut(race.title, titleWidth) },
    { text: count(race.enablingStates) },
    orderCell(race.orders[0], c),
    orderCell(race.orders[1], c),
    { text: count(race.crashPoints) },
    { text: race.status, paint: verdictPaint(race.status, c) },
  ]);
  return table(columns, rows, c.dim);
}

function orderCell({ schedules, failed }: RaceReport["orders"][number], c: Colours): Cell {
  if (schedules === 0) return { text: "none ✗", paint: c.red };
  if (failed > 0) return { text: `${count(failed)}/${count(schedules)} ✗`, paint: c.red };
  return { text: `${count(schedules)} ✓` };
}

// --- coverage, invariants, figures -----------------------------------------------------------------------------------

const barWidth = 30;

function coverageLines({ coverage, criterion, races }: Report, c: Colours): string[] {
  const row = (name: string, { covered, total, notOffered }: CoverageFigures): Cell[] => [
    { text: name },
    { text: bar(covered, total, barWidth), paint: c.cyan },
    { text: percent(covered, total) },
    { text: `${count(covered)} of ${count(total)}` },
    { text: notOffered === 0 ? "" : `${count(notOffered)} not offered`, paint: c.dim },
  ];
  const columns = [{ title: "" }, { title: "" }, { title: "", align: "right" }, { title: "" }, { title: "" }] as const;
  const [, ...rows] = table(columns, [
    row("states", coverage.states),
    row("transitions", coverage.transitions),
    row("pairs of transitions", coverage.pairs),
  ]);
  const partial = drivesAll(criterion) ? "" : c.dim(`  (criterion ${criterion}: ${aim(criterion, races)})`);
  return [`${section("Coverage", c)}${partial}`, ...body(rows)];
}

const aim = (criterion: string, races: readonly RaceReport[]): string => {
  if (criterion === "states") return "every state, not every transition, is the aim";
  if (criterion === "walks") return "what walks at random come across is the aim";
  return races.length === 1 ? "only one race was asked for" : `only ${races.length} races were asked for`;
};

/** The figures come first: the titles are sentences. */
function invariantLines(invariants: readonly InvariantReport[], c: Colours, width: number): string[] {
  const columns = [{ title: "" }, { title: "", align: "right" }, { title: "" }] as const;
  const rows = invariants.map((invariant): Cell[] => [
    { text: invariant.id, paint: c.bold },
    { text: count(invariant.premiseHeld) },
    judgement(invariant, c),
  ]);
  const figures = Math.max(
    ...table(
      columns,
      rows.map((row) => row.map(({ text }) => ({ text }))),
    ).map(({ length }) => length),
  );
  const [, ...lines] = table(columns, rows, c.dim);
  return [
    `${section("Invariants", c)}  ${c.dim("(how often the situation occurred that each speaks about)")}`,
    ...body(
      lines.flatMap((line, at) => {
        const [first = "", ...rest] = wrap(invariants[at]?.title ?? "", width - 4 - figures);
        const space = " ".repeat(figures + 2);
        return [line + space.slice(line.replace(ansi, "").length) + first, ...rest.map((more) => space + more)];
      }),
    ),
  ];
}

function judgement({ violated, premiseHeld }: InvariantReport, c: Colours): Cell {
  if (violated > 0) return { text: `✗ ${count(violated)} violated`, paint: c.red };
  return premiseHeld === 0 ? { text: "nothing checked", paint: c.yellow } : { text: "✓", paint: c.green };
}

function figureLines(report: Report, c: Colours): string[] {
  const { model, determinism, stepsLowerBound, coverageSteps } = report;
  const rows: [string, string][] = [
    ...modelRows(model),
    ["", `explored in ${duration(model.exploreMs)}, schedules generated in ${duration(model.generateMs)}`],
    [
      "driven",
      `${plural(report.schedules, "schedule")}, ${plural(report.steps, "step")} in ${duration(report.driveMs)}`,
    ],
    [
      "",
      `${count(report.stepsPerSecond)} steps a second on ${plural(report.workers, "thread")}; ${duration(report.durationMs)} in all`,
    ],
    ...(stepsLowerBound > 0 ? [["tours", toursText(coverageSteps, stepsLowerBound)] as [string, string]] : []),
    [
      "crashes",
      `${count(report.internalCrashes)} more at commits of the harness's own, which the machine does not know`,
    ],
    ...contentRows(report),
    ...(report.walks > 0
      ? [["walks", `${count(report.walks)} at random, from seed ${report.seed}`] as [string, string]]
      : []),
    ["true races", trueRacesText(report.trueRaces)],
    ["determinism", determinismText(determinism)],
  ];
  const [, ...lines] = table(
    [{ title: "" }, { title: "" }],
    rows.map(([name, text]) => [{ text: name, paint: c.dim }, { text }]),
  );
  return [section("Figures", c), ...body(lines)];
}

/** The contents that got around least say how far all of them did. */
function contentRows({ contents }: Report): [string, string][] {
  if (contents.length === 0) return [];
  const least = (of: (content: Report["contents"][number]) => number): string => count(Math.min(...contents.map(of)));
  return [
    [
      "contents",
      `${contents.length}, each in ${least(({ states }) => states)} states and ${least(({ rows }) => rows)} rows at least, and lost ${least(({ losses }) => losses)} ways`,
    ],
  ];
}

const sizeOf = ({ states, transitions }: Report["model"]["independent"]): string =>
  `${plural(states, "state")}, ${plural(transitions, "transition")}`;

const modelRows = (model: Report["model"]): [string, string][] =>
  sizeOf(model.independent) === sizeOf(model)
    ? [["model", `${sizeOf(model)}; a second, independent exploration counts the same`]]
    : [
        ["model", sizeOf(model)],
        ["", `a second, independent exploration counts ${sizeOf(model.independent)} ✗`],
      ];

const toursText = (steps: number, lowerBound: number): string =>
  `${plural(steps, "step")} to cover what the rows leave, ${(steps / lowerBound).toFixed(2)} × the lower bound of ${count(lowerBound)}`;

const trueRacesText = ({ total, driven, named }: Report["trueRaces"]): string =>
  `${count(driven)} of ${count(total)} driven in both orders; rows of the table name ${count(named)}`;

const determinismText = ({ schedules, steps, differences }: Report["determinism"]): string =>
  `${plural(schedules, "schedule")} (${plural(steps, "step")}) driven twice: ${
    differences === 0 ? "no difference" : `${count(differences)} ran differently ✗`
  }`;

// --- certificate -----------------------------------------------------------------------------------------------------

function certificateLines({ certificate }: Report, c: Colours, width: number): string[] {
  if (certificate === undefined) return [];
  const { k, tests, steps, faultDomain, assumptions, leftOut } = certificate;
  const inputs = leftOut.inputs.map(({ action, states }) => `${action} (${count(states)})`).join(", ");
  const points = [
    ...assumptions,
    `Not told apart: ${plural(leftOut.inseparable, "pair")} of states that look alike and share no input that tells.`,
    `Left to the implementation: ${plural(leftOut.optional, "transition")} with something optional, ${plural(leftOut.choices, "transition")} with two allowed cases.`,
    `Not offered or failed, by states: ${inputs === "" ? "nothing" : inputs}.`,
  ];
  return [
    `${section(`Certificate for k = ${k}`, c)}  ${c.dim(`(${plural(tests, "test")}, ${plural(steps, "step")})`)}`,
    ...body([
      ...wrap(faultDomain, width - 2),
      ...points.flatMap((point) => wrap(point, width - 4).map((line, at) => (at === 0 ? `· ${line}` : `  ${line}`))),
    ]),
  ];
}

// --- divergences and verdict -------------------------------------------------------------------------------------------

function knownLines({ divergences, sut }: Report, c: Colours, width: number): string[] {
  const listed = divergences.filter(({ known }) => known);
  if (listed.length === 0) return [];
  const idWidth = Math.max(...listed.map(({ id }) => id.length));
  const lines = listed.flatMap(({ id, requirement, summary = "", times, stepsLost }) => {
    const start = `${id.padEnd(idWidth)}  ${requirement.padEnd(3)}  `;
    const text = `${summary} (${plural(times, "time")}, ${plural(stepsLost, "step")} lost behind it)`;
    const [first = "", ...rest] = wrap(text, Math.max(30, width - 2 - start.length));
    return [c.yellow(start) + first, ...rest.map((line) => " ".repeat(start.length) + line)];
  });
  return [section(`Listed divergences of ${sut.name}`, c), ...body(lines)];
}

function unlistedLines({ divergences }: Report, c: Colours, width: number, options: VerifyLayout): string[] {
  const unlisted = divergences.filter(({ known }) => !known);
  if (unlisted.length === 0) return [];
  const full = unlisted
    .slice(0, shownInFull)
    .map((divergence, at) =>
      divergenceLines(divergence, `${at + 1} of ${unlisted.length}`, c, width, options.replayCommand(divergence)).join(
        "\n",
      ),
    );
  const rest = unlisted.slice(shownInFull).map(shortLine);
  return [
    full.join("\n\n"),
    ...(rest.length === 0 ? [] : ["", section(`${plural(rest.length, "more divergence")}`, c), ...body(rest)]),
  ];
}

const shortLine = ({ id, requirement, action, expected, actual }: DivergenceReport): string => {
  const [field = ""] = Object.keys(expected);
  return cut(`${id}  ${requirement}  ${action}: ${field}: expected ${expected[field]}, seen ${actual[field]}`, 160);
};

function verdictLines(report: Report, c: Colours, width: number, { folder }: VerifyLayout): string[] {
  const unlisted = report.divergences.some(({ known }) => !known);
  const where = unlisted && folder !== undefined ? [`Counterexamples are in ${folder}/`, ""] : [];
  const rule = c.dim("─".repeat(width));
  if (report.passed) return [rule, `${c.green("✓")} ${c.bold(`${report.sut.name} holds`)}${passedNote(report)}`];
  const verdict = report.complete || unlisted ? "fails" : "is not decided";
  const [first = "", ...more] = report.failures;
  const start = `${c.red("✗")} ${c.bold(`${report.sut.name} ${verdict}`)}:`;
  const reasons = more.length === 0 ? [`${start} ${first}`] : [start, ...report.failures.map((why) => `  · ${why}`)];
  return [...where, rule, ...reasons];
}

function passedNote({ divergences, races, schedules }: Report): string {
  const listed = divergences.filter(({ known }) => known).length;
  const rows = races.length === 0 ? "" : `, ${plural(races.length, "race")} in both orders`;
  const except = listed === 0 ? "" : `, except for ${plural(listed, "listed divergence")}`;
  return `: ${plural(schedules, "schedule")}${rows}${except}`;
}
