/** A copy of `src/` with one fault in it, as a subject of the checker. */
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { MemoryStorage } from "../../../src/index.ts";
import { type Implementation, referenceAdapterOf } from "../../adapters/reference.ts";
import type { Subject } from "../../drive/run.ts";
import type { Edit, Fault } from "./fault.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Thrown when the sources have moved on and an edit fits nowhere, or in several places. */
class StaleFault extends Error {
  override readonly name = "StaleFault";
}

/** Build the copy, work with it, and remove it. */
export async function withMutant<T>(fault: Fault, work: (subject: Subject) => Promise<T>): Promise<T> {
  const folder = join(root, ".mutants", fault.id);
  try {
    return await work(await mutantSubject(fault, folder));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function mutantSubject(fault: Fault, folder: string): Promise<Subject> {
  rmSync(folder, { recursive: true, force: true });
  cpSync(join(root, "src"), folder, { recursive: true, filter: (path) => !/\.test\.ts$|\/src\/testing$/.test(path) });
  for (const edit of fault.edits) apply(fault, edit, folder);
  const entry = pathToFileURL(join(folder, "index.ts")).href;
  const implementation = (await import(/* @vite-ignore */ entry)) as Implementation;
  return { adapter: referenceAdapterOf(implementation), newStore: () => new MemoryStorage({ now: () => 0 }) };
}

function apply(fault: Fault, { file, find, replace }: Edit, folder: string): void {
  const path = join(folder, file);
  const parts = readFileSync(path, "utf8").split(find);
  if (parts.length !== 2) {
    throw new StaleFault(`${fault.id}: its text occurs ${parts.length - 1} times in src/${file}. Write the edit anew.`);
  }
  writeFileSync(path, parts.join(replace));
}
