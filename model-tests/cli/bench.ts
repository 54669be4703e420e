/** `durability bench`: measures, and says what the figures were promised to be. */
import { Command } from "commander";
import type { BenchReport } from "../bench/bench-report.ts";
import { answersIn, generatedAnswer } from "../bench/log/answers.ts";
import { benchLogs, type LogReport } from "../bench/log/log-bench.ts";
import { benchDefaults } from "../bench/options.ts";
import { benchStores } from "../bench/store-bench.ts";
import { packageVersion } from "../package-root.ts";
import type { ReporterName } from "../report/reporters.ts";
import type { CommandContext } from "./command.ts";
import type { Io } from "./io.ts";
import {
  type BenchmarkName,
  benchmarkNames,
  parseBenchmark,
  parseCrashes,
  parseDeltas,
  parseFrames,
  parseReporters,
  parseRuns,
  parseStream,
  parseWarmUp,
  reportersHelp,
} from "./options.ts";
import { prepareFolder } from "./output.ts";
import { assertOneTerminal, publish } from "./publish.ts";
import { statusLine } from "./status-line.ts";

interface Flags {
  readonly runs: number;
  readonly warmUp: number;
  readonly appendFrames: readonly number[];
  readonly streamFrames: number;
  readonly recoveryFrames: readonly number[];
  readonly streams?: string;
  readonly deltas: number;
  readonly crashes: number;
  readonly reporter: readonly ReporterName[];
  readonly out?: string;
}

const { runs, warmUpMs, sizes } = benchDefaults;

export function benchCommand({ io }: CommandContext): Command {
  return new Command("bench")
    .description(
      "store: measures the stores and what the harness makes of them, beside pi-agent-core in the same run, and puts the\n" +
        "budgets beside the figures. log: measures what ways of logging a conversation cost, and what a crash leaves of it.\n" +
        "Takes minutes, and a machine with nothing else to do. Exits with 0 whatever it finds.",
    )
    .argument("[name]", `what to measure: ${benchmarkNames.join(", ")}`, parseBenchmark, "store")
    .option("--runs <n>", "how often each figure is measured", parseRuns, runs)
    .option("--warm-up <time>", "how long each is repeated before, once at least: 500ms, 1s", parseWarmUp, warmUpMs)
    .option(
      "--append-frames <n,...>",
      "lengths of the responses that are appended",
      parseFrames("--append-frames"),
      sizes.appendFrames,
    )
    .option("--stream-frames <n>", "length of the stream through the harness", parseStream, sizes.streamFrames)
    .option(
      "--recovery-frames <n,...>",
      "lengths of the recovered responses",
      parseFrames("--recovery-frames"),
      sizes.recoveryFrames,
    )
    .option("--streams <dir>", "log: a folder of recorded session logs or fixtures (*.jsonl)")
    .option("--deltas <n>", "log: length of the generated answer", parseDeltas, 5_000)
    .option("--crashes <n>", "log: crashes for each set of answers and policy", parseCrashes, 20)
    .option("--reporter <names>", reportersHelp("bench"), parseReporters("bench"), ["pretty"])
    .option("--out <dir>", "write bench-NAME.json into this folder")
    .action((name: BenchmarkName, flags: Flags) => run(name, flags, io));
}

async function run(name: BenchmarkName, flags: Flags, io: Io): Promise<void> {
  const { reporter, out } = flags;
  assertOneTerminal(reporter, out);
  if (out !== undefined) prepareFolder(out);
  const status = statusLine(io);
  let report: BenchReport | LogReport;
  try {
    report = await (name === "log" ? runLogs(flags, status.show) : runStores(flags, status.show));
  } finally {
    status.clear();
  }
  publish(
    "bench",
    { report, layout: io },
    reporter,
    io,
    out === undefined ? undefined : { folder: out, name: `bench-${name}` },
  );
}

type Show = (what: string) => void;

function runStores(
  { appendFrames, streamFrames, recoveryFrames, runs, warmUp }: Flags,
  show: Show,
): Promise<BenchReport> {
  const options = { runs, warmUpMs: warmUp, sizes: { appendFrames, streamFrames, recoveryFrames } };
  return benchStores(packageVersion(), options, show);
}

async function runLogs({ streams, deltas, crashes, runs }: Flags, show: Show): Promise<LogReport> {
  const recorded = streams === undefined ? [] : await answersIn(streams);
  return benchLogs(packageVersion(), { answers: [...recorded, generatedAnswer(deltas)], runs, crashes }, show);
}
