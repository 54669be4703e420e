/** A copy of the sources with one edit in it. The sources themselves are never touched. */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { UsageError } from "../errors.ts";
import { packageRoot, sourceFolders } from "../package-root.ts";
import type { Mutant, Target } from "./mutant.ts";

/** The text of a mutant occurs not at all, or several times: the sources have moved on. */
export class StaleMutant extends Error {
  override readonly name = "StaleMutant";
}

/** The folder of a copy: `src/`, or `dist/` of the package, lies in it. */
export interface Workspace {
  readonly folder: string;
  remove(): void;
}

/**
 * Makes the copy of a mutant.
 *
 * @throws {StaleMutant} when its text does not occur exactly once.
 */
export function openWorkspace(target: Target, mutant: Mutant): Workspace {
  const { folder: original, part } = sourcesOf(target);
  const edited = edit(mutant, readFileSync(join(original, part, mutant.file), "utf8"));
  const folder = folderOf(process.pid, mutant.name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const isNeeded = mutant.tests === undefined ? isCode : () => true;
  cpSync(join(original, part), join(folder, part), { recursive: true, filter: isNeeded });
  cpSync(join(original, "package.json"), join(folder, "package.json"));
  // A new file: the copied one may be read-only.
  rmSync(join(folder, part, mutant.file));
  writeFileSync(join(folder, part, mutant.file), edited);
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** For whoever outlives the process that made the copy. */
export function removeWorkspace(pid: number | undefined, mutant: string): void {
  if (pid !== undefined) rmSync(folderOf(pid, mutant), { recursive: true, force: true });
}

const folderOf = (pid: number, mutant: string): string => join(packageRoot(), ".mutants", `${pid}-${mutant}`);

/** Whether the text of a mutant occurs exactly once in its file. */
export function isStale(target: Target, mutant: Mutant): boolean {
  const { folder, part } = sourcesOf(target);
  try {
    edit(mutant, readFileSync(join(folder, part, mutant.file), "utf8"));
    return false;
  } catch {
    return true;
  }
}

function edit({ name, file, find, replace }: Mutant, text: string): string {
  const parts = text.split(find);
  if (parts.length === 2) return parts.join(replace);
  throw new StaleMutant(`${name}: its text occurs ${parts.length - 1} times in ${file}`);
}

const isCode = (path: string): boolean => !/\.(test\.ts|map|d\.ts)$|\/src\/testing$/.test(path);

function sourcesOf(target: Target): { folder: string; part: string } {
  if (target === "pi-agent-core") {
    const manifest = createRequire(import.meta.url).resolve("@earendil-works/pi-agent-core/package.json");
    return { folder: dirname(manifest), part: "dist" };
  }
  if (sourceFolders().length > 0) return { folder: packageRoot(), part: "src" };
  throw new UsageError("Mutants are made of the sources, which an installed package has not: use a clone.");
}
