/** `durability replay`: one counterexample again, step by step. */
import { readFileSync } from "node:fs";
import { Command } from "commander";
import { contentNames } from "../contents/catalogue.ts";
import type { Mismatch } from "../drive/mismatch.ts";
import { type DrivenStep, run } from "../drive/run.ts";
import { UsageError } from "../errors.ts";
import { explore } from "../explore/graph.ts";
import { type ReplayReport, replayText } from "../report/replay.ts";
import { optionsOf } from "../verify/batch.ts";
import { assertSameMachine, type Counterexample, parseCounterexample } from "../verify/counterexample.ts";
import { divergencesOf } from "../verify/judge-run.ts";
import { edgesOf, labelOf } from "../verify/labels.ts";
import { boundsOf, loadSubject, type NamedSubject } from "../verify/subject.ts";
import { type CommandContext, exitCodes } from "./command.ts";
import { parseSut } from "./options.ts";
import { rowIsViolated } from "./replay-row.ts";

interface Flags {
  readonly sut?: string;
}

export function replayCommand({ io, exit }: CommandContext): Command {
  return new Command("replay")
    .description(
      "Run one counterexample again, step by step, and say whether it still shows.\n" +
        "Exit code 1 when it does, 0 when it does not.",
    )
    .argument("<file>", "a counterexample that verify wrote")
    .option("--sut <name|path>", "run it on another implementation than the one it was found on", parseSut)
    .addHelpText("after", "\nExample:\n  $ durability replay durability-report/divergence-1.json")
    .action(async (file: string, { sut }: Flags) => {
      const report = await replay(file, sut);
      io.stdout(replayText(report, io));
      if (report.shows) exit(exitCodes.failed);
    });
}

async function replay(file: string, sut: string | undefined): Promise<ReplayReport> {
  const counterexample = parseCounterexample(read(file), file);
  const name = sut ?? parseSut(counterexample.sut);
  const { store, stream } = counterexample;
  const subject = await loadSubject({ sut: name, store, ...(stream !== undefined && { stream }) });
  try {
    return await replayOn(subject, counterexample, file);
  } finally {
    subject.dispose();
  }
}

async function replayOn(subject: NamedSubject, counterexample: Counterexample, file: string): Promise<ReplayReport> {
  const graph = explore(boundsOf(counterexample.bounds, subject));
  assertSameMachine(counterexample, graph, file);
  const edges = edgesOf(graph, counterexample.schedule);
  const { inside, content } = counterexample;
  const schedule = {
    edges,
    ...(inside !== undefined && { inside }),
    ...(content !== undefined && { content: contentNames.indexOf(content) }),
  };
  const result = await run(subject, graph, edges, optionsOf(graph, schedule));
  const found = divergencesOf({ graph, schedule, result }).map(({ mismatch }) => mismatch);
  const same = found.find((mismatch) => isSame(mismatch, counterexample));
  return {
    file,
    sut: `${subject.adapter.name} ${subject.adapter.version}`,
    counterexample,
    steps: result.steps.map((step, at) => ({
      label: counterexample.schedule[at] ?? labelOf(step.edge),
      ...seen(step),
    })),
    end: result.end,
    shows: same !== undefined || rowIsViolated(graph, result, counterexample),
    others: found.filter((mismatch) => mismatch !== same),
  };
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(
      `Cannot read ${file}: ${(error as Error).message}. Give a counterexample file that "durability verify --out DIR" wrote.`,
    );
  }
}

const isSame = (found: Mismatch, { field, expected, actual, requirement }: Counterexample): boolean =>
  found.requirement === requirement && found.field === field && found.expected === expected && found.actual === actual;

function seen({ fact }: DrivenStep): Omit<ReplayReport["steps"][number], "label"> {
  const { at, control, listed } = fact.durable;
  return {
    durable: [at, ...(control === "cancelled" ? ["cancelled"] : []), ...(listed > 0 ? [`${listed} listed`] : [])].join(
      ", ",
    ),
    atStore: fact.atStore,
    seen: [
      ...fact.requests.map(() => "request"),
      ...(fact.hooks > 0 ? ["after_response"] : []),
      ...fact.tools.map(({ tool }) => `run ${tool}`),
      ...fact.landings.map(({ commit }) => `${commit} landed`),
      ...fact.events.map(({ name, recovery }) => `${name}${recovery ? " (recovery)" : ""}`),
      ...fact.calls.map(({ call, outcome }) => `${call}: ${outcome}`),
    ],
  };
}
