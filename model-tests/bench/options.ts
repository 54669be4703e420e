/** What a benchmark is asked for. */
import { type FileStoreName, fileStoreNamed, fileStoreNames } from "../../src/index.ts";
import { type PiSystem, piSystem } from "./pi-system.ts";
import type { Sampling } from "./sample.ts";

export interface BenchSizes {
  /** Lengths of responses whose frames are appended, ascending. */
  readonly appendFrames: readonly number[];
  /** Frames of the stream through the whole harness. */
  readonly streamFrames: number;
  /** Frames of the interrupted responses that are recovered, ascending. */
  readonly recoveryFrames: readonly number[];
}

export interface BenchOptions extends Sampling {
  readonly sizes: BenchSizes;
}

export const benchDefaults: BenchOptions = {
  runs: 5,
  warmUpMs: 1_000,
  sizes: { appendFrames: [1_000, 100_000], streamFrames: 2_000, recoveryFrames: [1_000, 100_000, 1_000_000] },
};

/** Optional packages. */
export interface Installed {
  readonly pi: PiSystem | undefined;
  /** The stores in a file that can be used here. */
  readonly stores: readonly FileStoreName[];
}

export interface BenchContext extends BenchOptions {
  readonly installed: Installed;
  /** For files, all of them removed at the end. */
  readonly folder: string;
  progress(what: string): void;
}

export async function findInstalled(): Promise<Installed> {
  const usable = await Promise.all(fileStoreNames.map(isUsable));
  return { pi: await piSystem(), stores: fileStoreNames.filter((_, index) => usable[index]) };
}

async function isUsable(name: FileStoreName): Promise<boolean> {
  const { requires } = fileStoreNamed(name);
  if (requires === undefined) return true;
  return import(requires).then(
    () => true,
    () => false,
  );
}
