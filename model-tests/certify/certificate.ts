/**
 * A certificate: what a complete suite has driven, in a file that a program of its own can check. The checker in this room
 * knows the graph and the comparison, and nothing of how suites are generated.
 */
import type { BoundsName } from "../../machines/index.ts";
import { UsageError } from "../errors.ts";

/** What a verification by a complete suite leaves behind. Edges are named by their places in the graph. */
export interface Certificate {
  readonly kind: "assistant-durability certificate";
  readonly version: 1;
  readonly machine: { readonly name: "operation"; readonly digest: string };
  readonly bounds: BoundsName;
  readonly sut: string;
  readonly store: string;
  /** How many inputs off an access path a hidden state may lie. */
  readonly k: number;
  /** For each state the edge by which its access path reaches it; `null` for the first state and for those out of reach. */
  readonly access: readonly (number | null)[];
  /** Edges that the implementation does not offer, or where it leaves the specification. */
  readonly leftOut: readonly number[];
  /** The runs that held: how many edges each has in common with the one before, then its other edges. */
  readonly runs: readonly (readonly number[])[];
}

const kind = "assistant-durability certificate";

/** Runs as a certificate keeps them: those that begin alike stand next to each other. */
export function* packed(runs: Iterable<readonly number[]>): Generator<number[]> {
  let before: readonly number[] = [];
  for (const run of runs) {
    let common = 0;
    while (common < run.length && common < before.length && run[common] === before[common]) common++;
    yield [common, ...run.slice(common)];
    before = run;
  }
}

/** The whole edges of each run. */
export function* unpacked(runs: Iterable<readonly number[]>): Generator<number[]> {
  let before: number[] = [];
  for (const [common = 0, ...rest] of runs) {
    before = [...before.slice(0, common), ...rest];
    yield before;
  }
}

/**
 * Reads the text of a certificate file.
 *
 * @throws {UsageError} when it is none.
 */
export function parseCertificate(text: string, source: string): Certificate {
  let value: Partial<Certificate> | null;
  try {
    value = JSON.parse(text) as typeof value;
  } catch {
    throw new UsageError(`${source} is no JSON.`);
  }
  if (value?.kind !== kind) throw new UsageError(`${source} is not a certificate of this program.`);
  if (value.version !== 1)
    throw new UsageError(`${source} has version ${value.version}; this program reads version 1.`);
  const isComplete =
    [value.access, value.leftOut, value.runs].every(Array.isArray) &&
    [value.machine?.digest, value.bounds, value.sut, value.store].every((part) => typeof part === "string") &&
    typeof value.k === "number";
  if (!isComplete) {
    throw new UsageError(`${source} lacks a part of a certificate. Write it anew with "durability verify --out DIR".`);
  }
  return value as Certificate;
}
