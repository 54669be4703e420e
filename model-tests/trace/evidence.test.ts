/** The package has no sources: what the trace reads from them is stored with it, and up to date. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { requirements } from "../../machines/index.ts";
import { comparisons } from "../drive/comparisons.ts";
import { packageRoot } from "../package-root.ts";
import { collectEvidence, namedTestsText } from "./evidence.ts";
import { namedTests } from "./named-tests.ts";
import { registered } from "./registered.ts";
import { namedTestsPath, storedEvidence } from "./stored-evidence.ts";

const file = (text: string) => ({ path: "some.test.ts", text });

describe("the evidence that a package keeps", () => {
  test("is what the sources say (run `npm run docs`)", () => {
    const current = collectEvidence();

    expect(storedEvidence()).toEqual(current);
    expect(readFileSync(join(packageRoot(), namedTestsPath), "utf8")).toBe(namedTestsText(current));
  });
});

describe("the titles of tests", () => {
  test.each([
    ["of a test", 'test("[A1] x", () => {});', ["[A1] x"]],
    [
      "of a test in a group that names it",
      'describe("[A1] g", () => { it("x", f); it("y", f); });',
      ["[A1] g > x", "[A1] g > y"],
    ],
    ["after a group", 'describe("[A1] g", f); it("[A2] x", f);', ["[A2] x"]],
    ["of a table", 'test.each(rows)("[A1] %s", f);', ["[A1] %s"]],
    ["of a table of groups", 'describe.each([["[A2]"]])("[A1] %s", () => { test("x", f); });', ["[A1] %s > x"]],
    ["of a group that runs at once", 'describe.concurrent("[A1] g", () => { it("x", f); });', ["[A1] g > x"]],
    ["with a computed part", `test(\`[A1] \${word} y\`, f);`, ["[A1] … y"]],
    ["over two lines", 'test(\n  "[A1] x",\n  f,\n);', ["[A1] x"]],
    ["with a race row too", 'test("[R1] [A1] x", f); test("[R1] y", f);', ["[R1] [A1] x"]],
  ])("count %s", (_what, text, titles) => {
    expect(namedTests(file(text))).toEqual(titles);
  });

  test.each([
    ["a placeholder", 'test.each(rows)("[%s] x", f);'],
    ["a comment", '// test("[A1] x", f);'],
    ["a text inside of a test", 'test("x", () => { expect("[A1] y").toBe(1); });'],
    ["a row of a table", 'test.each([["[A1] x"]])("%s", f);'],
    ["a variable of that name", 'latest("[A1] x"); a.test("[A1] y");'],
  ])("do not count %s", (_what, text) => {
    expect(namedTests(file(text))).toEqual([]);
  });

  test("are refused when they name what does not exist, or when the test would not run", () => {
    expect(() => namedTests(file('test("[A99] x", f);'))).toThrow("names A99, which is no requirement");
    expect(() => namedTests(file('test.skip("[A1] x", f);'))).toThrow("test.skip is not understood");
  });
});

describe("what the checker compares", () => {
  test("is compared somewhere: each field of the table stands in the code that compares", () => {
    const code = ["drive", "suites/lanes", "verify"].flatMap((room) => sourcesOf(join("model-tests", room)));
    const used = (field: string): boolean =>
      code.some((text) => text.includes(`", "${field}",`) || text.includes(`, "${field}"`));

    expect(Object.keys(comparisons).filter((field) => !used(field))).toEqual([]);
  });

  test("has a requirement that the table of requirements knows", () => {
    const ids = Object.values(registered).flatMap((module) => Object.keys(module));

    expect(ids.filter((id) => !(id in requirements))).toEqual([]);
  });
});

/** The texts of the modules in a folder, but for the table itself. */
const sourcesOf = (folder: string): string[] =>
  readdirSync(join(packageRoot(), folder))
    .filter((name) => /(?<!\.test)\.ts$/.test(name) && name !== "comparisons.ts")
    .map((name) => readFileSync(join(packageRoot(), folder, name), "utf8").replaceAll(/\s+/g, " "));
