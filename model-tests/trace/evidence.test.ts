/** The package has no sources: what the trace reads from them is stored with it, and up to date. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { packageRoot } from "../package-root.ts";
import { comparisonsIn } from "./comparisons.ts";
import { evidence } from "./evidence.generated.ts";
import { collectEvidence, evidenceModule, evidencePath } from "./evidence.ts";
import { namedTests } from "./named-tests.ts";

const file = (text: string) => ({ path: "some.test.ts", text });

describe("the evidence that a package keeps", () => {
  it("is what the sources say (run `npm run docs`)", () => {
    const current = collectEvidence();
    expect(evidence).toEqual(current);
    expect(readFileSync(join(packageRoot(), evidencePath), "utf8")).toBe(evidenceModule(current));
  });

  it("is laid out as the formatter wants it, quotes included", () => {
    const long = "[A1] ".padEnd(130, "x");
    expect(
      evidenceModule({ namedTests: { "a.test.ts": ['[A1] a "b"'], "b.test.ts": [long] }, comparisons: {} }),
    ).toContain(`    "a.test.ts": ['[A1] a "b"'],\n    "b.test.ts": [\n      "${long}",\n    ],\n`);
  });
});

describe("the titles of tests", () => {
  it.each([
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

  it.each([
    ["a placeholder", 'test.each(rows)("[%s] x", f);'],
    ["a comment", '// test("[A1] x", f);'],
    ["a text inside of a test", 'test("x", () => { expect("[A1] y").toBe(1); });'],
    ["a row of a table", 'test.each([["[A1] x"]])("%s", f);'],
    ["a variable of that name", 'latest("[A1] x"); a.test("[A1] y");'],
  ])("do not count %s", (_what, text) => {
    expect(namedTests(file(text))).toEqual([]);
  });

  it("are refused when they name what does not exist, or when the test would not run", () => {
    expect(() => namedTests(file('test("[A99] x", f);'))).toThrow("names A99, which is no requirement");
    expect(() => namedTests(file('test.skip("[A1] x", f);'))).toThrow("test.skip is not understood");
  });
});

describe("the comparisons of a module", () => {
  it.each([
    ["a literal", 'mismatch("C7", "events", 1, 2);', { C7: ["events"] }],
    ["a choice", 'mismatch(a ? "C7" : (b ?? "J1"), c ? "x" : "y", 1, 2);', { C7: ["x", "y"], J1: ["x", "y"] }],
    [
      "a constant of its function alone",
      functionsWithConstants(),
      { K1: ["x"], K2: ["x"], F1: ["x"], N13: ["y"], A1: ["z"] },
    ],
    [
      "a computed field",
      `mismatch("E1", planned.action, 1, 2); mismatch("E2", \`a \${b}\`, 1, 2);`,
      { E1: ["planned.action"], E2: ["a …"] },
    ],
    [
      "an anomaly",
      `throw new Error(\`A3: seq \${n} again\`); note("A4: twice"); say("A4");`,
      { A3: ["seq … again"], A4: ["twice"] },
    ],
  ])("are named by %s", (_what, text, found) => {
    expect(comparisonsIn(file(text))).toEqual(found);
  });

  it("are none where an invariant is reported, which counts by itself", () => {
    expect(comparisonsIn(file('mismatch(id, "invariant", title, what);'))).toEqual({});
  });

  it("are refused without a requirement", () => {
    expect(() => comparisonsIn(file('mismatch(unknown, "x", 1, 2);'))).toThrow("names no requirement");
  });
});

function functionsWithConstants(): string {
  return `const stopped = { closed: "K1", faulted: "K2" };
    const requirement = "A1";
    function one() { const requirement = stopped[process] ?? "F1"; return mismatch(requirement, "x", 1, 2); }
    const two = () => { const requirement = "N13"; return mismatch(requirement, "y", 1, 2); };
    function three() { return mismatch(requirement, "z", 1, 2); }`;
}
