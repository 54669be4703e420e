/** `durability mutate`: whether deliberate faults in a harness or a store are seen. */
import { Command } from "commander";
import { tryMutants } from "../mutate/campaign.ts";
import { catalogue, type Listed, mutantNamed } from "../mutate/catalogue/catalogue.ts";
import { type Target, targets } from "../mutate/mutant.ts";
import { Results } from "../mutate/results.ts";
import { isDetected, type TrialResult, type Verdict, verdicts } from "../mutate/verdict.ts";
import { seededOrder } from "../verify/coverage.ts";
import { type CommandContext, exitCodes } from "./command.ts";
import {
  parseBudget,
  parseJobs,
  parseNames,
  parseSample,
  parseSeed,
  parseTarget,
  parseTimeout,
  parseVerdicts,
} from "./options.ts";
import { statusLine } from "./status-line.ts";

interface Flags {
  readonly target?: Target;
  readonly section?: readonly string[];
  readonly only?: readonly string[];
  readonly sample?: number;
  readonly seed: number;
  readonly jobs: number;
  readonly timeout: number;
  readonly budget?: number;
  readonly again?: readonly Verdict[];
  readonly list?: true;
  readonly out: string;
}

const defaultFile = "durability-report/mutants.json";
const defaultTimeoutMs = 180_000;

export function mutateCommand(context: CommandContext): Command {
  return new Command("mutate")
    .description(
      "Put deliberate faults into copies of a harness or a store, one at a time, and see whether the verification or the\n" +
        "tests of the store notice. Needs the sources of this project: a clone.",
    )
    .option("--target <name>", `only mutants of one harness: ${targets.join(", ")}`, parseTarget)
    .option("--section <names>", "only these sections of the catalogue", parseNames("--section"))
    .option("--only <names>", "only these mutants", parseNames("--only"))
    .option("--sample <n>", "so many of them, chosen by --seed", parseSample)
    .option("--seed <n>", "which ones a sample has (default: 1)", parseSeed, 1)
    .option("--jobs <n>", "processes side by side (default: 1)", parseJobs, 1)
    .option("--timeout <time>", "how long one may take (default: 3m)", parseTimeout, defaultTimeoutMs)
    .option("--budget <time>", "give a verification up after this long; the mutant stays undecided", parseBudget)
    .option("--again <verdicts>", `try anew those with these verdicts: ${verdicts.join(", ")}`, parseVerdicts)
    .option("--list", "print the mutants and try none")
    .option("--out <file>", `the results; what stands there is not tried again (default: ${defaultFile})`, defaultFile)
    .configureHelp({ optionDescription: ({ description }) => description })
    .addHelpText("after", examples)
    .action((flags: Flags) => (flags.list ? list(context, flags) : run(context, flags)));
}

const examples = `
Examples:
  $ durability mutate                                  all of them; stopped and started again, it goes on
  $ durability mutate --target src --sample 20
  $ durability mutate --again survived,stale           after a change of the checker
  $ durability mutate --only due-at-once`;

function list({ io }: CommandContext, flags: Flags): void {
  for (const { section, mutant } of chosen(flags)) io.stdout(`${section}/${mutant.name}: ${mutant.failure}\n`);
}

async function run({ io, exit }: CommandContext, flags: Flags): Promise<void> {
  const { jobs, timeout: timeoutMs, budget: budgetMs, again = [], out } = flags;
  const wanted = chosen(flags).map(({ mutant }) => mutant);
  const results = new Results(out);
  const open = wanted.filter((mutant) => {
    const verdict = results.verdictOf(mutant);
    return verdict === undefined || verdict === "undecided" || again.includes(verdict);
  });
  const status = statusLine(io);
  let done = 0;
  await tryMutants(open, { jobs, timeoutMs, budgetMs }, (mutant, result, durationMs) => {
    results.add(mutant, result);
    status.clear();
    io.stdout(`${lineOf(mutant.name, result)}, ${(durationMs / 1_000).toFixed(1)} s\n`);
    status.show("trying mutants", { done: ++done, total: open.length });
  });
  status.clear();
  const verdictsOfWanted = wanted.map((mutant) => results.verdictOf(mutant) as Verdict);
  const missed = verdictsOfWanted.filter((verdict) => !isDetected({ verdict })).length;
  io.stdout(`${wanted.length - missed} of ${wanted.length} noticed\n`);
  if (missed > 0) exit(exitCodes.failed);
}

function lineOf(name: string, { verdict, by, schedule, schedules }: TrialResult): string {
  const where = schedule === undefined ? "" : ` at step ${schedule.length}`;
  const after = schedules === undefined ? "" : `, after ${schedules} schedules`;
  return `${isDetected({ verdict }) ? "✓" : "✗"} ${name}: ${verdict}${by === undefined ? "" : ` by ${by}`}${where}${after}`;
}

function chosen({ target, section, only, sample, seed }: Flags): readonly Listed[] {
  const named = only?.map(mutantNamed) ?? catalogue;
  const some = named.filter(
    (listed) =>
      (target === undefined || listed.target === target) && (section === undefined || section.includes(listed.section)),
  );
  return sample === undefined ? some : seededOrder(some, seed).slice(0, sample);
}
