/** `durability merge`: one report of all shards of a verification. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { UsageError } from "../errors.ts";
import type { ReporterName } from "../report/reporters.ts";
import { parseShare, sumOf } from "../verify/share.ts";
import { loadSubject } from "../verify/subject.ts";
import { reportOf } from "../verify/verify.ts";
import { type CommandContext, exitCodes } from "./command.ts";
import { parseReporters, reportersHelp } from "./options.ts";
import { prepareFolder, shareFile } from "./output.ts";
import { assertOneTerminal, publish } from "./publish.ts";
import { statusLine } from "./status-line.ts";
import { leaveIn, phases, withCounterexamples } from "./verify.ts";

interface Flags {
  readonly reporter: readonly ReporterName[];
  readonly out?: string;
}

export function mergeCommand(context: CommandContext): Command {
  return new Command("merge")
    .description("Put the shards of a verification together: one report, as of one run.")
    .argument("<folders...>", "what --out of each `durability verify --shard i/n` named")
    .option("--reporter <names>", reportersHelp("verify"), parseReporters("verify"), ["pretty"] as const)
    .option("--out <dir>", "write report.json and one counterexample file a divergence there")
    .configureHelp({ showGlobalOptions: false })
    .action((folders: readonly string[], flags: Flags) => merge(context, folders, flags));
}

async function merge({ io, exit }: CommandContext, folders: readonly string[], flags: Flags): Promise<void> {
  const { reporter, out } = flags;
  const startedMs = performance.now();
  assertOneTerminal(reporter, out);
  const shares = folders.map((folder) => parseShare(read(folder), join(folder, shareFile)));
  if (out !== undefined) prepareFolder(out);
  const [first] = shares;
  if (first === undefined) throw new UsageError("There is no share to merge.");
  const subject = await loadSubject(first.options);
  const status = statusLine(io);
  try {
    const { options, driven } = sumOf(shares, subject);
    const onProgress: Parameters<typeof reportOf>[3] = ({ phase, ...share }) => status.show(phases[phase], share);
    const report = await reportOf(options, driven, startedMs, onProgress, leaveIn(out, false));
    status.clear();
    const layout = withCounterexamples(report, flags, io);
    publish(
      "verify",
      { report, layout },
      reporter,
      io,
      out === undefined ? undefined : { folder: out, name: "report" },
    );
    if (!report.passed) exit(exitCodes.failed);
  } finally {
    status.clear();
    subject.dispose();
  }
}

function read(folder: string): Uint8Array {
  try {
    return readFileSync(join(folder, shareFile));
  } catch {
    throw new UsageError(`${folder} has no ${shareFile}. "durability verify --shard i/n --out DIR" writes it.`);
  }
}
