/** `durability verify`: the whole verification, or a part of it. */
import { join, resolve } from "node:path";
import { Command } from "commander";
import type { BoundsName } from "../../machines/index.ts";
import type { VerifyLayout } from "../report/reporter.ts";
import { type ReporterName, reporters } from "../report/reporters.ts";
import { type StoreName, storeNames } from "../stores/named-stores.ts";
import { type Criterion, type Progress, type Shard, type VerifyOptions, verifyDefaults } from "../verify/options.ts";
import type { Report } from "../verify/report.ts";
import { bytesOf } from "../verify/share.ts";
import { type Leave, verify } from "../verify/verify.ts";
import { type CommandContext, exitCodes } from "./command.ts";
import {
  boundsNames,
  defaultWorkers,
  parseBounds,
  parseBudget,
  parseCriterion,
  parseK,
  parseRaces,
  parseReporters,
  parseSeed,
  parseShard,
  parseStore,
  parseSut,
  parseWorkers,
  reportersHelp,
} from "./options.ts";
import { certificateFile, prepareFolder, shareFile, shellWord, writeCounterexamples, writeText } from "./output.ts";
import { assertOneTerminal, publish } from "./publish.ts";
import { statusLine } from "./status-line.ts";
import { watchAndVerify } from "./watch.ts";

interface Flags {
  readonly sut: string;
  readonly store: StoreName;
  readonly criterion?: Criterion;
  readonly k: number;
  readonly race?: readonly string[];
  readonly bounds: BoundsName;
  readonly seed: number;
  readonly stream?: string;
  readonly budget?: number;
  readonly shard: Shard;
  readonly bail?: true;
  readonly workers: number;
  readonly reporter: readonly ReporterName[];
  readonly out?: string;
  readonly watch?: true;
}

/** Where the terminal report puts counterexamples when nobody has named a folder. */
const defaultFolder = "durability-report";

export function verifyCommand(context: CommandContext): Command {
  return new Command("verify")
    .description("Drive an implementation through the schedules of the specification and report where the two part.")
    .option("--sut <name|path>", "what to check: reference, pi-agent-core, or an adapter module", parseSut, "reference")
    .option("--store <name>", `the store it runs on: ${storeNames.join(", ")}`, parseStore, verifyDefaults.store)
    .option(
      "--criterion <name>",
      "what to drive besides the race rows: states, transitions (the default), races (and every true race), pairs (of transitions), complete (see --k), walks (random, until --budget is spent), rows (nothing)",
      parseCriterion,
    )
    .option(
      "--k <n>",
      "of the criterion complete: how many inputs off an access path a hidden state may lie",
      parseK,
      0,
    )
    .option("--race <ids>", "only these rows of the race table, and no other schedules: R4,X1", parseRaces)
    .option("--bounds <name>", `how far to explore: ${boundsNames.join(", ")}`, parseBounds, verifyDefaults.bounds)
    .option("--seed <n>", "the order of the schedules", parseSeed, verifyDefaults.seed)
    .option("--stream <file>", "let the provider say what this replay fixture has recorded; --seed picks the parts")
    .option("--budget <time>", "stop after this long, inconclusive (exit code 1): 60s, 500ms, 2m", parseBudget)
    .option("--shard <i/n>", "one of n equal shares of the schedules: 1/3", parseShard, verifyDefaults.shard)
    .option("--bail", "stop soon after the first divergence that is not listed")
    .option("--workers <n>", "threads (default: one a processor, at most 4)", parseWorkers, defaultWorkers())
    .option("--reporter <names>", reportersHelp("verify"), parseReporters("verify"), ["pretty"] as const)
    .option("--out <dir>", "write report.json and one counterexample file a divergence there")
    .option("--watch", "run again whenever the sources or the adapter change")
    .addHelpText("after", examples)
    .configureHelp({ showGlobalOptions: false, optionDescription })
    .action((flags: Flags) => (flags.watch ? watchAndVerify(flags.sut, context.io) : run(context, flags)));
}

const examples = `
Examples:
  $ durability verify --bounds small                      a first look
  $ durability verify --sut ./my-adapter.js --race R4,X1  two races of your own harness
  $ durability verify --reporter json > report.json       for a program
  $ durability verify --shard 1/3 --out report            one of three machines: see "durability merge"`;

/** Defaults in words: some of them are objects. */
function optionDescription(option: { description: string; long?: string | undefined; defaultValue?: unknown }): string {
  const { defaultValue } = option;
  const simple = typeof defaultValue === "string" || typeof defaultValue === "number";
  return simple && option.long !== "--workers"
    ? `${option.description} (default: ${defaultValue})`
    : option.description;
}

async function run({ io, exit }: CommandContext, flags: Flags): Promise<void> {
  const { reporter, out } = flags;
  assertOneTerminal(reporter, out);
  if (out !== undefined) prepareFolder(out);
  const status = statusLine(io);
  let report: Report;
  try {
    report = await verify(
      optionsOf(flags),
      ({ phase, ...share }) => status.show(phases[phase], share),
      leaveIn(out, flags.shard.of > 1),
    );
  } finally {
    status.clear();
  }
  const layout = withCounterexamples(report, flags, io);
  publish("verify", { report, layout }, reporter, io, out === undefined ? undefined : { folder: out, name: "report" });
  if (!report.passed) exit(exitCodes.failed);
}

/** What stays in the folder besides the report. */
export const leaveIn = (folder: string | undefined, isShare: boolean): Leave => ({
  ...(folder !== undefined && {
    certificate: (certificate) => writeText(join(folder, certificateFile), `${JSON.stringify(certificate)}\n`),
  }),
  ...(folder !== undefined && isShare && { share: (share) => writeText(join(folder, shareFile), bytesOf(share)) }),
});

export const phases: Readonly<Record<Progress["phase"], string>> = {
  exploring: "exploring the specification",
  coverage: "driving the coverage tours",
  races: "driving the race table",
  tests: "driving the complete suite",
  walks: "walking at random",
  determinism: "running a sample twice",
  minimising: "shortening counterexamples",
};

/** Writes the counterexamples: a person finds them in a folder even without `--out`. */
export function withCounterexamples(
  report: Report,
  { reporter, out }: Pick<Flags, "reporter" | "out">,
  io: CommandContext["io"],
): VerifyLayout {
  const unlisted = report.divergences.some(({ known }) => !known);
  const isForPeople = reporter.some((name) => reporters[name].ending === undefined);
  const folder = out ?? (isForPeople && unlisted ? defaultFolder : undefined);
  if (folder !== undefined && out === undefined) prepareFolder(folder);
  const files = folder === undefined ? new Map<string, string>() : writeCounterexamples(folder, report);
  return {
    colour: io.colour,
    width: io.width,
    replayCommand: ({ id }) => {
      const file = files.get(id);
      return file === undefined ? undefined : `${io.program} replay ${shellWord(file)}`;
    },
    ...(folder === undefined ? {} : { folder }),
  };
}

const optionsOf = (flags: Flags): VerifyOptions => ({
  sut: flags.sut,
  store: flags.store,
  // Whoever names rows wants those rows, not the tours over everything before them.
  criterion: flags.criterion ?? (flags.race === undefined ? verifyDefaults.criterion : "rows"),
  k: flags.k,
  races: flags.race ?? [],
  bounds: flags.bounds,
  seed: flags.seed,
  ...(flags.stream !== undefined && { stream: { file: resolve(flags.stream), seed: flags.seed } }),
  budgetMs: flags.budget,
  shard: flags.shard,
  ...(flags.bail && { bail: true }),
  workers: flags.workers,
});
