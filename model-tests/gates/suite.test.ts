/** The one test command runs every test file and no test is left out. */
import { execFileSync } from "node:child_process";
import { join, relative, sep } from "node:path";
import { expect, test } from "vitest";
import { packageRoot } from "../package-root.ts";
import { filesEndingIn, textOf } from "./tracked-files.ts";

const root = packageRoot();

test("`npm test` runs every test file on disk, by no filter, and so does the build server", () => {
  const { scripts } = JSON.parse(textOf("package.json")) as { scripts: Record<string, string> };
  expect(scripts.test?.split(" && ").at(-1), "The test command must name no files").toBe("vitest run");
  expect(textOf(".ci/run"), "The build server must run the whole test command").toMatch(/^npm test -- --reporter/m);

  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const listed = execFileSync(process.execPath, [vitest, "list", "--filesOnly", "--json"], {
    cwd: root,
    encoding: "utf8",
  });
  const run = (JSON.parse(listed) as { file: string }[]).map(({ file }) => relative(root, file).split(sep).join("/"));
  expect(run.sort(), "vitest.config.ts must include every *.test.ts").toEqual(filesEndingIn(".test.ts"));
});

test("no test is skipped, alone, planned or expected to fail", () => {
  const leftOut = filesEndingIn(".test.ts").flatMap((path) =>
    [...textOf(path).matchAll(/^\s*(?:test|it|describe)\.(?:skip|only|todo|fails|skipIf|runIf)\b/gm)].map(
      ([call]) => `${path}: ${call.trim()}`,
    ),
  );
  expect(leftOut, "Let each of these tests run, or remove it").toEqual([]);
});

test("every machine has tests beside it", () => {
  const tests = filesEndingIn(".test.ts").map((path) => path.slice(0, path.lastIndexOf("/")));
  const machines = filesEndingIn("machine.ts").filter((path) => path.startsWith("machines/"));
  const untested = machines.filter((path) => !tests.includes(path.slice(0, path.lastIndexOf("/"))));
  expect(untested, "Test each of these machines in its own folder").toEqual([]);
});
