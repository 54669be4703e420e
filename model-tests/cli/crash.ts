/** `durability crash`: the kill campaign on the durable stores. */
import { Command } from "commander";
import { type Durability, type FileStoreName, fileStoreNames } from "../../src/index.ts";
import { crashCampaign } from "../crash/campaign.ts";
import { type CampaignFigures, makeCrashReport } from "../crash/report.ts";
import { type ReporterName, reportersOf } from "../report/reporters.ts";
import { openStores } from "../stores/named-stores.ts";
import { type CommandContext, exitCodes } from "./command.ts";
import { durabilities, parseDurabilities, parseFileStores, parseKills, parseReporter, parseSeed } from "./options.ts";
import { publish } from "./publish.ts";
import { statusLine } from "./status-line.ts";

interface Flags {
  readonly store: readonly FileStoreName[];
  readonly durability: readonly Durability[];
  readonly kills: number;
  readonly seed: number;
  readonly reporter: ReporterName;
  readonly out: string;
}

const defaultKills = 50;
const reporterHelp = `${reportersOf("crash").join(", ")} (default: pretty)`;

export function crashCommand(context: CommandContext): Command {
  return new Command("crash")
    .description(
      "Kill processes that run operations on a durable store, at moments that a seed chooses, and check after each\n" +
        "death that nothing acknowledged is lost, nothing is half there, and recovery ends as it must.\n" +
        "A kill tests the death of a process. It takes nothing from the operating system, as a loss of power would.",
    )
    .option(
      "--store <names>",
      `${fileStoreNames.join(", ")}: one, or a list (default: all)`,
      parseFileStores,
      fileStoreNames,
    )
    .option("--durability <names>", "process, power, or both (the default)", parseDurabilities, durabilities)
    .option("--kills <n>", `on each store and durability (default: ${defaultKills})`, parseKills, defaultKills)
    .option("--seed <n>", "what the processes do, and when they are killed (default: 1)", parseSeed, 1)
    .option("--reporter <name>", reporterHelp, parseReporter("crash"), "pretty" as const)
    .option("--out <dir>", "where what a loss leaves behind is kept (default: durability-report)", "durability-report")
    .configureHelp({ optionDescription: ({ description }) => description })
    .addHelpText("after", examples)
    .action((flags: Flags) => run(context, flags));
}

const examples = `
Examples:
  $ durability crash                                             every store, both durabilities
  $ durability crash --store jsonl --durability power --kills 1000
  $ durability crash --seed 7 --reporter json > crash.json       for a program`;

async function run({ io, exit }: CommandContext, flags: Flags): Promise<void> {
  const { kills, seed, out: evidence } = flags;
  const pairs = flags.store.flatMap((store) => flags.durability.map((durability) => ({ store, durability })));
  // A store that cannot be used here is no loss.
  for (const store of flags.store) (await openStores(store)).dispose();
  const campaigns: CampaignFigures[] = [];
  const status = statusLine(io);
  for (const [at, pair] of pairs.entries()) {
    const what = `killing: ${pair.store}, ${pair.durability}`;
    const show = (done: number) => status.show(what, { done: at * kills + done, total: pairs.length * kills });
    campaigns.push(await crashCampaign({ ...pair, kills, seed, evidence }, show));
  }
  status.clear();
  const report = makeCrashReport(seed, campaigns);
  publish("crash", { report, layout: io }, [flags.reporter], io);
  if (!report.passed) exit(exitCodes.failed);
}
