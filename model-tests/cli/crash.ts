/** `durability crash`: the kill campaign on the durable stores. */
import { Command } from "commander";
import type { Durability } from "../../src/index.ts";
import { crashCampaign } from "../crash/campaign.ts";
import { type CampaignFigures, crashText, makeCrashReport } from "../crash/report.ts";
import { bar, percent } from "../draw/layout.ts";
import { type FileStoreName, fileStoreNames } from "../stores/file-stores.ts";
import { openStores } from "../stores/named-stores.ts";
import { type CommandContext, exitCodes } from "./command.ts";
import type { Io } from "./io.ts";
import {
  durabilities,
  parseDurabilities,
  parseFileStores,
  parseKills,
  parseReporter,
  parseSeed,
  type Reporter,
} from "./options.ts";

interface Flags {
  readonly store: readonly FileStoreName[];
  readonly durability: readonly Durability[];
  readonly kills: number;
  readonly seed: number;
  readonly reporter: Reporter;
  readonly out: string;
}

const defaultKills = 50;

export function crashCommand(context: CommandContext): Command {
  return new Command("crash")
    .description(
      "Kill processes that run operations on a durable store, at moments that a seed chooses, and check after each\n" +
        "death that nothing acknowledged is lost, nothing is half there, and recovery ends as it must.\n" +
        "A kill tests the death of a process. It takes nothing from the operating system, as a loss of power would.",
    )
    .option("--store <names>", "jsonl, sqlite, or both (the default)", parseFileStores, fileStoreNames)
    .option("--durability <names>", "process, power, or both (the default)", parseDurabilities, durabilities)
    .option("--kills <n>", `on each store and durability (default: ${defaultKills})`, parseKills, defaultKills)
    .option("--seed <n>", "what the processes do, and when they are killed (default: 1)", parseSeed, 1)
    .option("--reporter <name>", "pretty (the default) or json", parseReporter, "pretty" as const)
    .option("--out <dir>", "where what a loss leaves behind is kept (default: durability-report)", "durability-report")
    .configureHelp({ optionDescription: ({ description }) => description })
    .addHelpText("after", examples)
    .action((flags: Flags) => run(context, flags));
}

const examples = `
Examples:
  $ durability crash                                             both stores, both durabilities
  $ durability crash --store jsonl --durability power --kills 1000
  $ durability crash --seed 7 --reporter json > crash.json       for a program`;

async function run({ io, exit }: CommandContext, flags: Flags): Promise<void> {
  const { kills, seed, out: evidence } = flags;
  const pairs = flags.store.flatMap((store) => flags.durability.map((durability) => ({ store, durability })));
  // A store that cannot be used here is no loss.
  for (const store of flags.store) (await openStores(store)).dispose();
  const campaigns: CampaignFigures[] = [];
  for (const [at, pair] of pairs.entries()) {
    const show = (done: number) =>
      showProgress(io, `${pair.store}, ${pair.durability}`, at * kills + done, pairs.length * kills);
    campaigns.push(await crashCampaign({ ...pair, kills, seed, evidence }, show));
  }
  if (io.showsProgress) io.stderr(eraseLine);
  const report = makeCrashReport(seed, campaigns);
  io.stdout(flags.reporter === "json" ? `${JSON.stringify(report, null, 2)}\n` : crashText(report, io));
  if (!report.passed) exit(exitCodes.failed);
}

const eraseLine = "\r\u001b[2K";
const barWidth = 24;

function showProgress(io: Io, what: string, done: number, total: number): void {
  if (!io.showsProgress) return;
  io.stderr(
    `${eraseLine}killing: ${what.padEnd("sqlite, process".length)}  ${bar(done, total, barWidth)}  ${percent(done, total)}`,
  );
}
