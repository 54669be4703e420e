/** The benchmark of logs: what each policy costs on disk and in time, and what it gives back after a crash. */

import { Random } from "../../random.ts";
import { selfRemovingFolder } from "../../stores/self-removing-folder.ts";
import { median } from "../sample.ts";
import type { Answers } from "./answers.ts";
import type { LogPolicy } from "./policy.ts";
import { countBursts, crashAfter, type Survived, writeAll } from "./run-policy.ts";
import { assembled, frames, withCompressedFixture, withFixture } from "./session-policies.ts";
import { answersOnly, nothing, packedChunks, rawChunks, snapshots } from "./text-policies.ts";

/** The policies, in the order of the tables. */
const logPolicies: readonly LogPolicy[] = [
  nothing,
  rawChunks,
  packedChunks,
  snapshots,
  frames,
  answersOnly,
  assembled,
  withFixture,
  withCompressedFixture,
];

/** What one policy costs for one set of answers. */
export interface LogCost {
  readonly answers: string;
  readonly policy: string;
  readonly bytes: number;
  /** Medians, in milliseconds. */
  readonly writeMs: number;
  readonly loadMs: number;
}

/** What a policy gives back after crashes, over all answers. The parts are means from 0 to 1, over the crashes that put it at stake. */
export interface LogRestore {
  readonly policy: string;
  readonly crashes: number;
  /** Crashes that left every answer that had ended. */
  readonly answers: number;
  /** What was shown of the interrupted answer. */
  readonly partial: number;
  /** Crashes that left every stream that had ended, event by event with times. */
  readonly streams: number;
  /** The interrupted stream, event by event with times. */
  readonly stream: number;
}

/** What `bench log` reports. */
export interface LogReport {
  readonly version: 1;
  readonly benchmark: "log";
  readonly package: { readonly name: string; readonly version: string };
  readonly node: string;
  readonly runs: number;
  readonly crashesPerAnswers: number;
  readonly answers: readonly { readonly name: string; readonly requests: number; readonly events: number }[];
  readonly costs: readonly LogCost[];
  readonly restores: readonly LogRestore[];
}

/** What the benchmark is asked for. */
export interface LogOptions {
  readonly answers: readonly Answers[];
  readonly runs: number;
  /** Crashes for each set of answers. */
  readonly crashes: number;
}

export async function benchLogs(
  version: string,
  { answers, runs, crashes }: LogOptions,
  progress: (what: string) => void,
): Promise<LogReport> {
  const folder = selfRemovingFolder();
  try {
    const costs: LogCost[] = [];
    const restores: LogRestore[] = [];
    for (const policy of logPolicies) {
      for (const set of answers) {
        progress(`${policy.name}, ${set.name}`);
        costs.push(await costOf(policy, set, runs, folder.path));
      }
      if (policy !== nothing) restores.push(await restoreOf(policy, answers, crashes, folder.path, progress));
    }
    return {
      version: 1,
      benchmark: "log",
      package: { name: "assistant-durability", version },
      node: process.version,
      runs,
      crashesPerAnswers: crashes,
      answers: answers.map(({ name, requests }) => ({
        name,
        requests: requests.length,
        events: requests.reduce((sum, { events }) => sum + events.length, 0),
      })),
      costs,
      restores,
    };
  } finally {
    folder.remove();
  }
}

async function costOf(policy: LogPolicy, answers: Answers, runs: number, folder: string): Promise<LogCost> {
  await writeAll(policy, answers, folder);
  const found = [];
  for (let run = 0; run < runs; run++) found.push(await writeAll(policy, answers, folder));
  return {
    answers: answers.name,
    policy: policy.name,
    bytes: found[0]?.bytes ?? 0,
    writeMs: median(found.map(({ writeMs }) => writeMs)),
    loadMs: median(found.map(({ loadMs }) => loadMs)),
  };
}

async function restoreOf(
  policy: LogPolicy,
  answers: readonly Answers[],
  crashes: number,
  folder: string,
  progress: (what: string) => void,
): Promise<LogRestore> {
  const survived: Survived[] = [];
  for (const [number, set] of answers.entries()) {
    progress(`${policy.name}, crashes in ${set.name}`);
    // The same moments for every policy.
    const random = new Random(7, number);
    const bursts = countBursts(set);
    for (let crash = 0; crash < crashes; crash++)
      survived.push(await crashAfter(policy, set, 1 + random.below(bursts), folder));
  }
  const mean = (of: (one: Survived) => number | boolean | undefined) => {
    const found = survived.flatMap((one) => of(one) ?? []).map(Number);
    return found.reduce((sum, one) => sum + one, 0) / found.length;
  };
  return {
    policy: policy.name,
    crashes: survived.length,
    answers: mean((one) => one.answers),
    partial: mean((one) => one.partial),
    streams: mean((one) => one.streams),
    stream: mean((one) => one.stream),
  };
}
