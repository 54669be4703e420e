/** Repeated measurement of one thing. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

export interface Sampling {
  readonly runs: number;
  /** Least time to warm up, in milliseconds; it is one run at least. */
  readonly warmUpMs: number;
}

/** Runs `once` to warm up, then `runs` times with nothing young left to collect before each; answers what those answered. */
export async function sample<T>({ runs, warmUpMs }: Sampling, once: () => Promise<T>): Promise<T[]> {
  const collect = collector();
  collect();
  const began = performance.now();
  do await once();
  while (performance.now() - began < warmUpMs);
  const found: T[] = [];
  for (let run = 0; run < runs; run++) {
    // A full collection would throw away compiled code too, and the run would measure the compiler.
    collect({ type: "minor" });
    found.push(await once());
  }
  return found;
}

/** The middle of the values, or the mean of the two in the middle. There is at least one. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  if (upper === undefined || lower === undefined) throw new RangeError("There is no median of no values");
  return (lower + upper) / 2;
}

type Collector = (options?: { readonly type: "minor" }) => void;

/** The flag counts for contexts made from then on, which spares the caller a flag on the command line. */
function collector(): Collector {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as Collector;
}
