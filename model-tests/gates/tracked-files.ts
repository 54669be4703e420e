/** The files of this repository, as git knows them: what is committed, and what is new and not ignored. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../package-root.ts";

const root = packageRoot();

/** Paths from the root, with `/` between folders, in order. */
export function filesEndingIn(ending: string): readonly string[] {
  const args = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
  return execFileSync("git", args, { cwd: root, encoding: "utf8" })
    .split("\0")
    .filter((path) => path.endsWith(ending) && existsSync(join(root, path)))
    .sort();
}

export const textOf = (path: string): string => readFileSync(join(root, path), "utf8");

/** All TypeScript of the parts and of the examples. */
export const sourceFiles = (): readonly string[] =>
  filesEndingIn(".ts").filter((path) => /^(machines|src|model-tests|examples)\//.test(path));
