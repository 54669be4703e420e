/** What the published package holds, and what it asks for: built and packed into a folder of its own. */
import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { packageRoot } from "../package-root.ts";
import { temporaryFolder } from "../testing/cli.ts";
import { importedNames } from "./imports.ts";
import contents from "./package-contents.json" with { type: "json" };

const root = packageRoot();
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Record<string, Record<string, string>>;
let folder: string;
let packed: readonly string[];

beforeAll(() => {
  folder = temporaryFolder();
  for (const name of ["package.json", "docs", "CHANGELOG.md", "README.md", "LICENSE"]) {
    cpSync(join(root, name), join(folder, name), { recursive: true });
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  tsc("-p", join(root, "tsconfig.build.json"), "--incremental", "false", "--outDir", join(folder, "dist"));
  const answer = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: folder,
    encoding: "utf8",
  });
  const report = Object.values(JSON.parse(answer) as Record<string, { files: { path: string }[] }>)[0];
  packed = report?.files.map(({ path }) => path).sort() ?? [];
});

test("the package holds the folders and files of package-contents.json, and no tests", () => {
  const places = new Set(packed.map((path) => (path.includes("/") ? path.split("/").slice(0, -1).join("/") : path)));
  expect([...places].sort(), "Change `files` in package.json, or package-contents.json when it is on purpose").toEqual(
    contents,
  );
  expect(
    packed.filter((path) => /\.test\.|\/(testing|suites|gates)\//.test(path)),
    "These are tests",
  ).toEqual([]);
});

test("what the package imports is what it declares: nothing is missing, nothing more is asked for", () => {
  const asked = [...new Set(packed.filter((path) => /\.(js|d\.ts)$/.test(path)).flatMap(packagesOf))].sort();
  const { dependencies = {}, peerDependencies = {}, optionalDependencies = {} } = manifest;
  const declared = Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies }).sort();
  expect(asked, "Declare in package.json what the package imports, and nothing else").toEqual(declared);
});

test("the types of the three entry points resolve for a user", () => {
  const names = ["assistant-durability", "assistant-durability/machines", "assistant-durability/model-tests"];
  const user = join(folder, "user.mts");
  writeFileSync(
    user,
    names.map((name, at) => `import * as part${at} from "${name}";\nexport { part${at} };\n`).join(""),
  );
  tsc("--noEmit", "--strict", "--module", "NodeNext", "--target", "ES2023", "--types", "node", "--skipLibCheck", user);
});

function tsc(...args: readonly string[]): void {
  try {
    execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), ...args], {
      cwd: folder,
      encoding: "utf8",
    });
  } catch (error) {
    throw new Error(`The compiler refused:\n${(error as { stdout: string }).stdout}`);
  }
}

function packagesOf(path: string): readonly string[] {
  return importedNames(path, readFileSync(join(folder, path), "utf8"))
    .filter((name) => !name.startsWith(".") && !name.startsWith("node:") && !builtinModules.includes(name))
    .map((name) => name.split("/", name.startsWith("@") ? 2 : 1).join("/"));
}
