/** What a reporter is: one way to print what a command has found. */
import type { BenchReport } from "../bench/bench-report.ts";
import type { LogReport } from "../bench/log/log-bench.ts";
import type { CrashReport } from "../crash/report.ts";
import type { DivergenceReport, Report } from "../verify/report.ts";

/** What a text is laid out for. */
export interface Layout {
  readonly colour: boolean;
  /** In columns. */
  readonly width: number;
}

export interface VerifyLayout extends Layout {
  /** What to type to see this divergence again; nothing when its counterexample was not written. */
  readonly replayCommand: (divergence: DivergenceReport) => string | undefined;
  /** Where counterexamples were written. */
  readonly folder?: string;
}

/** The commands with `--reporter`: what each of them has to print, and what for. */
export interface Printable {
  readonly verify: { readonly report: Report; readonly layout: VerifyLayout };
  readonly bench: { readonly report: BenchReport | LogReport; readonly layout: Layout };
  readonly crash: { readonly report: CrashReport; readonly layout: Layout };
}

export type ReportingCommand = keyof Printable;

/** A pure function: it decides nothing. */
type Print<C extends ReportingCommand> = (report: Printable[C]["report"], layout: Printable[C]["layout"]) => string;

/** How a reporter prints what each command has found; `undefined` where it is not offered. */
export type Prints = { readonly [C in ReportingCommand]: Print<C> | undefined };

export interface Reporter extends Prints {
  /**
   * With `--out` the text goes to a file with this ending, such as `json`. A reporter without one is for people: it always
   * prints to the terminal, and may name the files that were written.
   */
  readonly ending: string | undefined;
}
