/** `durability bench`: measures, and says what the figures were promised to be. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import type { BenchReport } from "../bench/bench-report.ts";
import { benchText } from "../bench/bench-text.ts";
import { benchDefaults } from "../bench/options.ts";
import { benchStores } from "../bench/store-bench.ts";
import { UsageError } from "../errors.ts";
import { packageVersion } from "../package-root.ts";
import type { CommandContext } from "./command.ts";
import type { Io } from "./io.ts";
import {
  type BenchmarkName,
  benchmarkNames,
  parseBenchmark,
  parseFrames,
  parseReporters,
  parseRuns,
  parseStream,
  parseWarmUp,
  type Reporter,
} from "./options.ts";
import { prepareFolder } from "./output.ts";

interface Flags {
  readonly runs: number;
  readonly warmUp: number;
  readonly appendFrames: readonly number[];
  readonly streamFrames: number;
  readonly recoveryFrames: readonly number[];
  readonly reporter: readonly Reporter[];
  readonly out?: string;
}

const { runs, warmUpMs, sizes } = benchDefaults;

export function benchCommand({ io }: CommandContext): Command {
  return new Command("bench")
    .description(
      "Measures the stores and what the harness makes of them, beside pi-agent-core in the same run, and puts the\n" +
        "budgets beside the figures. Takes minutes, and a machine with nothing else to do. Exits with 0 whatever it finds.",
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
    .option("--reporter <list>", "pretty, json, or both with --out", parseReporters, ["pretty"])
    .option("--out <dir>", "write bench-store.json into this folder")
    .action((name: BenchmarkName, flags: Flags) => run(name, flags, io));
}

async function run(name: BenchmarkName, flags: Flags, io: Io): Promise<void> {
  const { reporter, out, appendFrames, streamFrames, recoveryFrames } = flags;
  if (reporter.length > 1 && out === undefined) {
    throw new UsageError("--reporter pretty,json needs --out DIR: both cannot have the terminal.");
  }
  if (out !== undefined) prepareFolder(out);
  const options = { runs: flags.runs, warmUpMs: flags.warmUp, sizes: { appendFrames, streamFrames, recoveryFrames } };
  const status = statusLine(io);
  let report: BenchReport;
  try {
    report = await benchStores(packageVersion(), options, status.show);
  } finally {
    status.clear();
  }
  const json = `${JSON.stringify(report, null, 2)}\n`;
  if (out !== undefined) writeFileSync(join(out, `bench-${name}.json`), json);
  if (reporter.includes("pretty")) io.stdout(benchText(report, io));
  else if (out === undefined) io.stdout(json);
}

function statusLine(io: Io): { show: (what: string) => void; clear: () => void } {
  const eraseLine = "\r\u001b[2K";
  if (!io.showsProgress) return { show: () => {}, clear: () => {} };
  return { show: (what) => io.stderr(`${eraseLine}${what}`), clear: () => io.stderr(eraseLine) };
}
