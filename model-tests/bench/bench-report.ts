/** What a benchmark reports: data alone, the same for the terminal and for a program. */
import type { Budget } from "./budgets.ts";
import type { Measurement } from "./measurement.ts";
import type { BenchSizes } from "./options.ts";

export interface BenchReport {
  readonly version: 1;
  readonly benchmark: "store";
  readonly package: { readonly name: string; readonly version: string };
  /** `null` when it is not installed; then nothing has a ratio. */
  readonly peer: { readonly name: string; readonly version: string } | null;
  readonly node: string;
  readonly machine: {
    readonly platform: string;
    readonly cpu: string;
    readonly cores: number;
    readonly memoryMb: number;
    /** Of the machine at the beginning, over one minute: what else it was doing. */
    readonly load: number;
  };
  readonly runs: number;
  readonly warmUpMs: number;
  readonly sizes: BenchSizes & { readonly framesPerTurn: number; readonly writeTimesMs: readonly number[] };
  readonly durationMs: number;
  readonly measurements: readonly Measurement[];
  readonly budgets: readonly Budget[];
  /** What was not measured, and why. */
  readonly notes: readonly string[];
}
