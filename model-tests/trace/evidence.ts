/** Reads from the sources which tests name a requirement; `npm run docs` stores it for a package without sources. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { packageRoot, sourceFolders } from "../package-root.ts";
import { namedTests, type SourceFile } from "./named-tests.ts";
import { registered } from "./registered.ts";
import type { Evidence } from "./trace.ts";

export function collectEvidence(): Evidence {
  const tests = readTests().map((file): [string, string[]] => [file.path, namedTests(file)]);
  return { namedTests: Object.fromEntries(tests.filter(([, titles]) => titles.length > 0)), comparisons: registered };
}

/** The text of the file that stores the named tests. */
export const namedTestsText = ({ namedTests }: Evidence): string => `${JSON.stringify(namedTests, null, 2)}\n`;

function readTests(): SourceFile[] {
  const root = packageRoot();
  return sourceFolders()
    .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && entry.name.endsWith(".test.ts"))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}
