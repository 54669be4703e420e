/** The result of a verification as data. Reporters print it; they decide nothing. */
import type { Bounds, BoundsName } from "../../machines/index.ts";
import type { ContentName } from "../contents/catalogue.ts";
import type { StoreName } from "../stores/named-stores.ts";
import type { Counterexample } from "./counterexample.ts";
import type { Criterion } from "./options.ts";

export interface CoverageFigures {
  readonly covered: number;
  readonly total: number;
  /** Tried and not offered by this implementation, or reachable only over something that it does not offer or fails. */
  readonly notOffered: number;
}

/** `elsewhere`: this share of the schedules has none of the row; the merged report judges it. */
export type RaceStatus = "holds" | "fails" | "fails (known)" | "vacuous" | "unsupported" | "elsewhere";

export interface RaceReport {
  readonly id: string;
  readonly title: string;
  readonly kind: "choice" | "precedence";
  readonly requirements: readonly string[];
  /** States of the machine in which both actions are enabled. */
  readonly enablingStates: number;
  readonly orders: readonly [OrderReport, OrderReport];
  readonly crashPoints: number;
  readonly status: RaceStatus;
}

export interface OrderReport {
  readonly first: string;
  readonly second: string;
  readonly required: string;
  readonly schedules: number;
  readonly failed: number;
  readonly notOffered: number;
}

/** The true races of the graph: a state and two actions whose order makes a difference. */
export interface TrueRacesReport {
  readonly total: number;
  /** Driven in both orders. */
  readonly driven: number;
  /** Named by a row of the race table. */
  readonly named: number;
  /** Which rows name how many; one race may have several. */
  readonly rows: readonly { readonly id: string; readonly races: number; readonly driven: number }[];
  /** Those that no row names, by their two actions, the most frequent first. */
  readonly unnamed: readonly {
    readonly actions: readonly [string, string];
    readonly races: number;
    readonly driven: number;
  }[];
}

/** What a complete suite that held is worth. `durability certificate` checks it. */
export interface CertificateReport {
  /** How many inputs off an access path a hidden state may lie. */
  readonly k: number;
  readonly tests: number;
  readonly steps: number;
  /** Which implementations would have been caught, in one sentence. */
  readonly faultDomain: string;
  /** What this rests on, in sentences. */
  readonly assumptions: readonly string[];
  /** What it does not speak of. */
  readonly leftOut: {
    /** Actions that the implementation does not offer, or where it leaves the specification, and in how many states. */
    readonly inputs: readonly { readonly action: string; readonly states: number }[];
    /** Transitions on which something may be left out: it is judged as the implementation has it. */
    readonly optional: number;
    /** Transitions on which the implementation chooses one of two allowed cases. */
    readonly choices: number;
    /** Pairs of states that no inputs which both offer tell apart. */
    readonly inseparable: number;
  };
}

export interface InvariantReport {
  readonly id: string;
  readonly title: string;
  readonly checked: number;
  readonly premiseHeld: number;
  readonly violated: number;
}

export interface DivergenceReport {
  /** The name of a listed divergence, or a number in this report. */
  readonly id: string;
  readonly requirement: string;
  /** The requirement's sentence. */
  readonly sentence: string;
  /** The first row that ran into it. */
  readonly race?: string;
  readonly races: readonly string[];
  readonly known: boolean;
  /** For a listed divergence: what the harness does, and why the specification is right. */
  readonly summary?: string;
  readonly why?: string;
  readonly times: number;
  readonly stepsLost: number;
  readonly action: string;
  readonly schedule: readonly string[];
  readonly expected: Readonly<Record<string, string>>;
  readonly actual: Readonly<Record<string, string>>;
  readonly sequenceDiagram: string;
  readonly counterexample: Counterexample;
}

/** How far one content got around: counts of states with some of it committed, of losses of the process there, and of rows. */
export interface ContentReport {
  readonly name: ContentName;
  readonly states: number;
  readonly losses: number;
  readonly rows: number;
}

/** What a verification has found, as data. Its JSON is the report format of `--reporter json`. */
export interface Report {
  readonly version: 1;
  readonly sut: { readonly name: string; readonly version: string };
  readonly store: StoreName;
  readonly criterion: Criterion;
  readonly seed: number;
  readonly boundsName: BoundsName;
  readonly bounds: Bounds;
  /** The share of the schedules that was driven: `1/3`. */
  readonly shard: `${number}/${number}`;
  readonly model: {
    readonly states: number;
    readonly transitions: number;
    readonly exploreMs: number;
    readonly generateMs: number;
    /** What the second, independent exploration counts. */
    readonly independent: { readonly states: number; readonly transitions: number };
  };
  readonly schedules: number;
  readonly steps: number;
  /** The least number of steps in which tours can cover what the schedules of the rows leave of the criterion. */
  readonly stepsLowerBound: number;
  /** Steps that these tours plan, to be held against the lower bound. */
  readonly coverageSteps: number;
  readonly durationMs: number;
  readonly driveMs: number;
  readonly stepsPerSecond: number;
  readonly workers: number;
  readonly coverage: {
    readonly states: CoverageFigures;
    readonly transitions: CoverageFigures;
    /** Transitions right after each other. */
    readonly pairs: CoverageFigures;
  };
  readonly trueRaces: TrueRacesReport;
  /** Given when a whole complete suite was driven in one run, and showed nothing that is not listed. */
  readonly certificate?: CertificateReport;
  readonly races: readonly RaceReport[];
  readonly invariants: readonly InvariantReport[];
  readonly divergences: readonly DivergenceReport[];
  /** Listed divergences that did not occur. */
  readonly stale: readonly string[];
  /** Crashes at commits that the machine does not know: the harness's own transactions within a step. */
  readonly internalCrashes: number;
  /** What each content of the catalogue has met; empty when recorded content was driven. */
  readonly contents: readonly ContentReport[];
  /** Random walks that were driven, besides the tours and the rows. */
  readonly walks: number;
  readonly determinism: { readonly schedules: number; readonly steps: number; readonly differences: number };
  /** False when the time budget ran out: then nothing is proved. */
  readonly complete: boolean;
  /** Why the verification fails; empty when it passes. */
  readonly failures: readonly string[];
  readonly passed: boolean;
}
