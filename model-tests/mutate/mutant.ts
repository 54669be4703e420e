/** What a mutant is: one edit of a harness or a store that breaks a requirement, and who ought to see it. */
import type { RequirementId } from "../../machines/index.ts";

/** Whose sources are edited: this project's own, or pi's published package. */
export const targets = ["src", "pi-agent-core"] as const;
export type Target = (typeof targets)[number];

/** What a mutant gets wrong. The words are those of the page of mutants. */
export const kinds = {
  rows: "values of durable rows",
  tells: "values of events and calls",
  time: "time",
  awaited: "what is awaited",
  contents: "contents of a stream",
  repetition: "repetition",
  histories: "histories that one state merges",
  lanes: "lanes",
  stores: "the rules of stores",
  second: "second calls",
  reads: "reads",
  readers: "readers: snapshots and watchers",
  off: "a listener that is taken off, or throws",
  order: "the order of effects",
} as const;
type Kind = keyof typeof kinds;

/** One deliberate fault. */
export interface Mutant {
  /** Unique, in words joined by hyphens. */
  readonly name: string;
  /** Path below `src/`, or below `dist/` of the package. */
  readonly file: string;
  /** Must occur exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  /** The failure that it models, as one sentence that names what is observable. */
  readonly failure: string;
  readonly requirements: readonly [RequirementId, ...RequirementId[]];
  /** What ought to see it: a row, an invariant, a comparison or a test of a store. */
  readonly seenBy: string;
  readonly kind: Kind;
  /**
   * Folders or files of tests below `src/` that judge it instead of a verification: for what no schedule drives, such as
   * files of a store.
   */
  readonly tests?: readonly string[];
}

/** Mutants of one part of the sources. */
export interface Section {
  readonly name: string;
  readonly target: Target;
  readonly mutants: readonly Mutant[];
}
