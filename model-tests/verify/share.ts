/** What one shard of a verification has driven, as bytes, and the sum of all shards: the report is made of the sum. */
import { deserialize, serialize } from "node:v8";
import { UsageError } from "../errors.ts";
import { explore } from "../explore/graph.ts";
import { exploreIndependently } from "../explore/independent.ts";
import { completeSuite } from "../generate/complete.ts";
import { digestOf } from "./counterexample.ts";
import type { Driven } from "./driven.ts";
import type { VerifyOptions } from "./options.ts";
import { plannedCrashes, plannedRaces, usableFor } from "./plans.ts";
import { boundsOf, type NamedSubject } from "./subject.ts";
import { addTally, type Tally, tallyFor } from "./tally.ts";

/** All of what was driven that no other program can work out again. */
export interface Share
  extends Pick<
    Driven,
    "generateMs" | "stepsLowerBound" | "coverageSteps" | "walks" | "determinism" | "driveMs" | "complete" | "bailed"
  > {
  readonly kind: "assistant-durability share";
  readonly version: 1;
  readonly digest: string;
  readonly options: VerifyOptions;
  readonly tally: Tally;
}

export const shareOf = (options: VerifyOptions, driven: Driven): Share => ({
  kind: "assistant-durability share",
  version: 1,
  digest: digestOf(driven.graph),
  options,
  tally: driven.tally,
  generateMs: driven.generateMs,
  stepsLowerBound: driven.stepsLowerBound,
  coverageSteps: driven.coverageSteps,
  walks: driven.walks,
  determinism: driven.determinism,
  driveMs: driven.driveMs,
  complete: driven.complete,
  bailed: driven.bailed,
});

export const bytesOf = (share: Share): Uint8Array => serialize(share);

/** @throws {UsageError} when the bytes are no share. */
export function parseShare(bytes: Uint8Array, source: string): Share {
  let value: Partial<Share> | null;
  try {
    value = deserialize(bytes) as typeof value;
  } catch {
    throw new UsageError(`${source} is no share of a verification.`);
  }
  if (value?.kind !== "assistant-durability share" || value.version !== 1) {
    throw new UsageError(`${source} is no share that this program reads.`);
  }
  return value as Share;
}

/**
 * Adds shards up.
 *
 * @param subject what all of them have driven.
 * @throws {UsageError} when they are not all shards of one verification of this machine, each once.
 */
export function sumOf(shares: readonly Share[], subject: NamedSubject): { options: VerifyOptions; driven: Driven } {
  const [first] = shares;
  if (first === undefined) throw new UsageError("There is no share to merge.");
  assertOneRun(shares, first);
  const options: VerifyOptions = { ...first.options, shard: { index: 1, of: 1 } };
  const graph = explore(boundsOf(options.bounds, subject));
  if (digestOf(graph) !== first.digest) {
    throw new UsageError('The shares speak of another machine than this program. Run "durability verify" again.');
  }
  const tally = tallyFor(graph);
  for (const share of shares) addTally(tally, share.tally);
  const sum = (of: (share: Share) => number): number => shares.reduce((total, share) => total + of(share), 0);
  const suite =
    options.criterion === "complete" && options.races.length === 0
      ? completeSuite(graph, options.k, usableFor(tally))
      : undefined;
  const driven: Driven = {
    graph,
    independent: exploreIndependently(boundsOf(options.bounds, subject)),
    subject,
    tally,
    plans: plannedRaces(graph, tally, options),
    generateMs: Math.max(...shares.map(({ generateMs }) => generateMs)),
    stepsLowerBound: first.stepsLowerBound,
    coverageSteps: first.coverageSteps,
    internalCrashes: plannedCrashes(graph, tally, options).length,
    suite: suite === undefined ? undefined : { suite, tests: [...suite.tests()] },
    walks: sum(({ walks }) => walks),
    determinism: {
      schedules: sum(({ determinism }) => determinism.schedules),
      steps: sum(({ determinism }) => determinism.steps),
      differences: sum(({ determinism }) => determinism.differences),
    },
    driveMs: Math.max(...shares.map(({ driveMs }) => driveMs)),
    complete: shares.every(({ complete }) => complete),
    bailed: shares.some(({ bailed }) => bailed),
  };
  return { options, driven };
}

function assertOneRun(shares: readonly Share[], first: Share): void {
  const asked = ({ digest, options: { workers: _, shard, ...rest } }: Share): string =>
    JSON.stringify([digest, shard.of, rest]);
  if (shares.some((share) => asked(share) !== asked(first))) {
    throw new UsageError("The shares are of different verifications: all but --shard and --workers must be the same.");
  }
  const { of } = first.options.shard;
  const missing = Array.from({ length: of }, (_, at) => at + 1).filter(
    (index) => !shares.some(({ options }) => options.shard.index === index),
  );
  if (missing.length > 0)
    throw new UsageError(`Missing: ${missing.map((index) => `share ${index}/${of}`).join(", ")}.`);
  if (shares.length > of) throw new UsageError("A share is given twice.");
}
