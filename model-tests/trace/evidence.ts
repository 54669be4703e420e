/** Reads from the sources what they check, and writes it down as the module `report/trace-evidence.ts`. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { packageRoot, sourceFolders } from "../package-root.ts";
import { comparisonsIn } from "./comparisons.ts";
import { namedTests, type SourceFile } from "./named-tests.ts";
import type { Evidence } from "./trace.ts";

/** The module of the package that holds the evidence, below its root. */
export const evidencePath = "model-tests/trace/evidence.generated.ts";

export function collectEvidence(): Evidence {
  const sources = readSources();
  const tests = sources.filter(({ path }) => path.endsWith(".test.ts"));
  const modules = sources.filter(({ path }) =>
    /^model-tests\/(drive|suites\/lanes|world)\/.*(?<!\.test)\.ts$/.test(path),
  );
  const byPath = <T>(files: readonly SourceFile[], read: (file: SourceFile) => T): [string, T][] =>
    files.map((file) => [file.path, read(file)]);
  return {
    namedTests: Object.fromEntries(byPath(tests, namedTests).filter(([, titles]) => titles.length > 0)),
    comparisons: Object.fromEntries(
      byPath(modules, comparisonsIn).filter(([, found]) => Object.keys(found).length > 0),
    ),
  };
}

function readSources(): SourceFile[] {
  const root = packageRoot();
  return sourceFolders()
    .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}

/** The text of the module, laid out as the formatter wants it. */
export function evidenceModule({ namedTests, comparisons }: Evidence): string {
  const tests = Object.entries(namedTests).map(([file, titles]) => member(4, quoted(file), titles));
  const modules = Object.entries(comparisons).flatMap(([module, byId]) => [
    `    ${quoted(module)}: {`,
    ...Object.entries(byId).map(([id, fields]) => member(6, id, fields)),
    "    },",
  ]);
  return `${[
    "/** Generated from the sources by `npm run docs`: change those, not this module. */",
    'import type { Evidence } from "./trace.ts";',
    "",
    "export const evidence: Evidence = {",
    "  namedTests: {",
    ...tests,
    "  },",
    "  comparisons: {",
    ...modules,
    "  },",
    "};",
  ].join("\n")}\n`;
}

const lineWidth = 120;

function member(depth: number, name: string, texts: readonly string[]): string {
  const indent = " ".repeat(depth);
  const short = `${indent}${name}: [${texts.map(quoted).join(", ")}],`;
  if (short.length <= lineWidth) return short;
  return [`${indent}${name}: [`, ...texts.map((text) => `${indent}  ${quoted(text)},`), `${indent}],`].join("\n");
}

/** Single quotes only where they need fewer escapes. */
function quoted(text: string): string {
  const doubled = JSON.stringify(text);
  if (text.split('"').length <= text.split("'").length) return doubled;
  return `'${doubled.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
