/** Reads the values of flags. Each throws a {@link UsageError} that says what is wrong and what would be right. */
import { availableParallelism } from "node:os";
import { type BoundsName, boundsByName, races } from "../../machines/index.ts";
import { type Durability, type FileStoreName, fileStoreNames } from "../../src/index.ts";
import { UsageError } from "../errors.ts";
import { type Target, targets } from "../mutate/mutant.ts";
import { type Verdict, verdicts } from "../mutate/verdict.ts";
import type { ReportingCommand } from "../report/reporter.ts";
import { plannedReporters, type ReporterName, reportersOf } from "../report/reporters.ts";
import { storeNames } from "../stores/named-stores.ts";
import { type Criterion, criteria, type Shard } from "../verify/options.ts";

function oneOf<T extends string>(what: string, known: readonly T[], elsewhere: readonly string[] = []) {
  return (text: string): T => {
    if ((known as readonly string[]).includes(text)) return text as T;
    const problem = elsewhere.includes(text) ? `${what} "${text}" is not in this version` : `Unknown ${what} "${text}"`;
    throw new UsageError(`${problem}. Known: ${known.join(", ")}.`);
  };
}

export const boundsNames = Object.keys(boundsByName) as BoundsName[];
export const parseBounds = oneOf<BoundsName>("bounds", boundsNames);
export const parseStore = oneOf("store", storeNames);
export const parseCriterion = oneOf<Criterion>("criterion", criteria);
export const machineNames = ["operation", "deferred"] as const;
export type MachineName = (typeof machineNames)[number];
export const parseMachine = oneOf<MachineName>("machine", machineNames);
export const parseGraphFormat = oneOf("format", ["mermaid", "json"], ["dot", "svg", "html", "aut"]);

export const benchmarkNames = ["store", "log"] as const;
export type BenchmarkName = (typeof benchmarkNames)[number];
export const parseBenchmark = oneOf<BenchmarkName>("benchmark", benchmarkNames);

/** What a fixture can be made of. */
export const captureNames = ["session-log", "openai-completions", "anthropic-messages"] as const;
export type CaptureName = (typeof captureNames)[number];
export const parseCapture = oneOf<CaptureName>("format", captureNames);

/** Reads the name of one reporter that a command offers. */
export const parseReporter = (command: ReportingCommand) =>
  oneOf<ReporterName>("reporter", reportersOf(command), plannedReporters);

/** The words of a comma-separated list; an empty one is a mistake. */
function words(flag: string, text: string): string[] {
  const parts = text.split(",").map((part) => part.trim());
  if (parts.some((part) => part === "")) {
    throw new UsageError(`${flag} "${text}" has an empty part. Give a list without spaces, such as a,b.`);
  }
  return parts;
}

export const parseReporters =
  (command: ReportingCommand) =>
  (text: string): readonly ReporterName[] => [...new Set(words("--reporter", text).map(parseReporter(command)))];

/** The help of a `--reporter` that takes several names. */
export const reportersHelp = (command: ReportingCommand): string =>
  `${reportersOf(command).join(", ")}, or several with --out`;

const parseFileStore = oneOf<FileStoreName>("durable store", fileStoreNames);
export const parseFileStores = (text: string): readonly FileStoreName[] => [
  ...new Set(words("--store", text).map(parseFileStore)),
];

export const durabilities: readonly Durability[] = ["process", "power"];
const parseDurability = oneOf<Durability>("durability", durabilities);
export const parseDurabilities = (text: string): readonly Durability[] => [
  ...new Set(words("--durability", text).map(parseDurability)),
];

export function parseRaces(text: string, before: readonly string[] = []): readonly string[] {
  const ids: readonly string[] = races.map(({ id }) => id);
  const wanted = words("--race", text).map((id) => id.toUpperCase());
  const unknown = wanted.find((id) => !ids.includes(id));
  if (unknown !== undefined) throw new UsageError(`Unknown race "${unknown}". Known: ${ids.join(", ")}.`);
  return [...new Set([...before, ...wanted])];
}

export function parseSut(text: string): string {
  if (/^cmd:/.test(text)) {
    throw new UsageError(
      '--sut "cmd: ..." is not in this version. Give reference, pi-agent-core, or the path of an adapter module.',
    );
  }
  if (text.trim() === "") {
    throw new UsageError("--sut is empty. Give reference, pi-agent-core, or the path of an adapter module.");
  }
  return text;
}

function wholeNumber(flag: string, text: string, least: number, most: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(value) && value >= least && value <= most) return value;
  throw new UsageError(`${flag} "${text}" is no whole number from ${least} to ${most}.`);
}

const largestSeed = 2 ** 32 - 1;
const mostWorkers = 64;
const mostKills = 100_000;
const mostRuns = 1_000;
/** A log of a snapshot for each delta grows with the square of this. */
const mostDeltas = 20_000;
/** Of a response. The first two start it and its only block, a measured one has a delta as well. */
const frameBounds = [3, 10_000_000] as const;

export const parseSeed = (text: string): number => wholeNumber("--seed", text, 0, largestSeed);
/** A suite for three would have tens of millions of steps. */
const mostInputs = 2;
export const parseK = (text: string): number => wholeNumber("--k", text, 0, mostInputs);
export const parseKills = (text: string): number => wholeNumber("--kills", text, 1, mostKills);
export const parseWorkers = (text: string): number => wholeNumber("--workers", text, 1, mostWorkers);
export const parseRuns = (text: string): number => wholeNumber("--runs", text, 1, mostRuns);
export const parseStream = (text: string): number => wholeNumber("--stream-frames", text, ...frameBounds);

export const parseRequest = (text: string): number => wholeNumber("--request", text, 1, Number.MAX_SAFE_INTEGER);
export const parseDeltas = (text: string): number => wholeNumber("--deltas", text, 1, mostDeltas);
export const parseCrashes = (text: string): number => wholeNumber("--crashes", text, 1, mostRuns);

/** Lengths of responses, ascending, each once. */
export const parseFrames =
  (flag: string) =>
  (text: string): readonly number[] =>
    [...new Set(words(flag, text).map((word) => wholeNumber(flag, word, ...frameBounds)))].sort((a, b) => a - b);
export const defaultWorkers = (): number => Math.min(4, availableParallelism());

const unitsMs = { ms: 1, s: 1_000, m: 60_000 } as const;

export const parseTarget = oneOf<Target>("target", targets);
const parseVerdict = oneOf<Verdict>("verdict", verdicts);
export const parseVerdicts = (text: string): readonly Verdict[] => words("--again", text).map(parseVerdict);
export const parseNames = (flag: string) => (text: string) => words(flag, text);
export const parseSample = (text: string): number => wholeNumber("--sample", text, 1, Number.MAX_SAFE_INTEGER);
export const parseJobs = (text: string): number => wholeNumber("--jobs", text, 1, mostWorkers);
export const parseTimeout = (text: string): number => milliseconds("--timeout", text);

export const parseBudget = (text: string): number => milliseconds("--budget", text);
export const parseWarmUp = (text: string): number => milliseconds("--warm-up", text);

/** A time with its unit, in milliseconds. */
function milliseconds(flag: string, text: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m)$/.exec(text) ?? [];
  const timeMs = Number(amount) * (unitsMs[unit as keyof typeof unitsMs] ?? Number.NaN);
  if (Number.isFinite(timeMs) && timeMs > 0) return timeMs;
  throw new UsageError(`${flag} "${text}" is no time. Give a number and its unit, ms, s or m, such as 60s.`);
}

export function parseShard(text: string): Shard {
  const [, index, of] = /^(\d+)\/(\d+)$/.exec(text) ?? [];
  const shard = { index: Number(index), of: Number(of) };
  if (shard.index >= 1 && shard.of >= shard.index && Number.isSafeInteger(shard.of)) return shard;
  throw new UsageError(`--shard "${text}" is no share. Give i/n with i from 1 to n, such as 1/3.`);
}
