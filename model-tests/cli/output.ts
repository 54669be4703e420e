/** The files that a command leaves behind. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../errors.ts";
import type { Report } from "../verify/report.ts";

/** The file that `durability certificate` reads. */
export const certificateFile = "certificate.json";
/** The file that `durability merge` reads. */
export const shareFile = "share.bin";

/** The numbered counterexamples of an earlier run would be taken for divergences of this one; so would its other files. */
const numbered = /^divergence-\d+\.json$/;

/** Make sure before the work that its result can be written. */
export function prepareFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
    for (const name of readdirSync(folder))
      if (numbered.test(name) || name === certificateFile || name === shareFile) rmSync(join(folder, name));
  } catch (error) {
    throw new UsageError(`Cannot write into the folder "${folder}": ${(error as Error).message}. Give another --out.`);
  }
}

/** One file a divergence; returns them by the divergence's id. */
export function writeCounterexamples(folder: string, report: Report): Map<string, string> {
  const files = new Map<string, string>();
  for (const { id, counterexample } of report.divergences) {
    // The ids of listed divergences come from the adapter's module: they must not lead out of the folder.
    const file = join(folder, `${id.replace(/[^\w.-]/g, "-")}.json`);
    writeText(file, `${JSON.stringify(counterexample, null, 2)}\n`);
    files.set(id, file);
  }
  return files;
}

/** @throws {UsageError} when the file cannot be written. */
export function writeText(file: string, text: string | Uint8Array): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new UsageError(`Cannot write "${file}": ${(error as Error).message}. Give another --out.`);
  }
}

/** A word that a shell takes as it stands. */
export const shellWord = (text: string): string =>
  /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
