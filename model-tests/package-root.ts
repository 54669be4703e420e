/** Where this package lies: a clone with its sources, or an installed package with its built modules. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json"))) folder = dirname(folder);
  return folder;
}

export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(join(packageRoot(), "package.json"), "utf8")) as { version: string };
  return version;
}

/** The folders with sources; empty in an installed package. */
export function sourceFolders(): string[] {
  const root = packageRoot();
  return existsSync(join(root, "machines", "index.ts"))
    ? ["machines", "src", "model-tests"].map((name) => join(root, name))
    : [];
}
