/** Repeated measurement of one thing. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Runs `once` to warm up, then `runs` times with a collected heap before each; answers what those answered. */
export async function sample<T>(runs: number, once: () => Promise<T>): Promise<T[]> {
  await once();
  const found: T[] = [];
  for (let run = 0; run < runs; run++) {
    //XX collectGarbage();
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

let collector: (() => void) | undefined;

function collectGarbage(): void {
  if (collector === undefined) {
    // The flag counts for contexts made from now on, which spares the caller a flag on the command line.
    setFlagsFromString("--expose-gc");
    collector = runInNewContext("gc") as () => void;
  }
  collector();
}
