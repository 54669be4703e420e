/** Each requirement is traced to what checks it, and one that nothing checks is found. */
import { describe, expect, test } from "vitest";
import { traceDetail, traceText } from "./text.ts";
import { type Evidence, idsInTitle, isInOrder, traceFindings, traceRows, type Unserved } from "./trace.ts";

const evidence: Evidence = {
  namedTests: {
    "src/a.test.ts": ["a > [G1] polls, [G2] with a permit", "[G1] polls again"],
    "src/b.test.ts": ["[I4, I5] and [P2][P3]"],
  },
  comparisons: { "model-tests/drive/b.ts": { P1: ["size", "order"], P4: [] } },
};
const options = { colour: false, width: 60 };
const rowsWith = (unserved: Unserved) => traceRows(evidence, unserved);
const rowOf = (id: string, unserved: Unserved = {}) => {
  const row = rowsWith(unserved).find((one) => one.id === id);
  if (row === undefined) throw new Error(`No row ${id}`);
  return row;
};

describe("the matrix", () => {
  test("traces a requirement to its invariants, race rows, compared fields and named tests", () => {
    expect(rowOf("N1")).toMatchObject({ checked: true, invariants: ["scalar state alone selects the restart point"] });
    expect(rowOf("K3").races).toContain("R4");
    expect(rowOf("P1").comparisons).toEqual([{ module: "model-tests/drive/b.ts", fields: ["size", "order"] }]);
    expect(rowOf("G1").tests).toEqual([{ file: "src/a.test.ts", titles: evidence.namedTests["src/a.test.ts"] }]);
    expect(rowOf("G2").tests[0]?.titles).toHaveLength(1);
    for (const id of ["I5", "P2", "P3"]) expect(rowOf(id).tests).toHaveLength(1);
  });

  test("takes neither a module that compares nothing nor a list of the unserved for a check", () => {
    expect(rowOf("P4", { P4: "later" })).toMatchObject({ checked: false, unserved: "later", comparisons: [] });
  });

  test("finds what nothing checks, and what is listed but checked", () => {
    const found = traceFindings(rowsWith({ P1: "later", P5: "later" }));
    expect(found.unchecked).toContain("P6");
    expect(found.unchecked).not.toContain("P5");
    expect(found.unchecked).not.toContain("P1");
    expect(found.stale).toEqual(["P1"]);
  });

  test("is in order when both lists are empty", () => {
    expect(isInOrder({ unchecked: [], stale: [] })).toBe(true);
    expect(isInOrder({ unchecked: ["P6"], stale: [] })).toBe(false);
    expect(isInOrder({ unchecked: [], stale: ["P1"] })).toBe(false);
  });

  test.each([
    ["[E4] one", ["E4"]],
    ["[C5][C7] next to each other, [A1] later", ["C5", "C7", "A1"]],
    ["[I4, I5] a list", ["I4", "I5"]],
    ["[%s] a placeholder, [A1 no end, list[0], [a1], A1", []],
  ])("the title %j names %j", (title, ids) => {
    expect(idsInTitle(title)).toEqual(ids);
  });
});

describe("the text of the matrix", () => {
  test("says what checks, in lines that fit", () => {
    const text = traceText(rowsWith({ P6: "no client" }), options);
    expect(text).toMatch(/^ {2}P1 {3}compares size, order$/m);
    expect(text).toMatch(/^ {2}G1 .*tests a 2$/m);
    expect(text).toMatch(/^ {2}P6 {3}not served: no client$/m);
    expect(text).toMatch(/^ {2}P7 {3}unchecked: Sequence numbers/m);
    const matrix = text.slice(0, text.indexOf("Nothing checks"));
    expect(Math.max(...matrix.split("\n").map((line) => line.length))).toBeLessThanOrEqual(options.width);
  });

  test("ends with what is wrong", () => {
    const text = traceText([rowOf("P7"), rowOf("P1", { P1: "later" }), rowOf("P6", { P6: "later" })], options);
    expect(text).toContain("3 requirements, 1 unchecked, 2 not served yet\nNothing checks P7.\nChecked after all");
    expect(text).toContain("take P1 off");
    expect(traceText([rowOf("G1")], options)).toMatch(/1 requirement, 0 unchecked, 0 not served yet\n$/);
  });

  test("of one requirement has every title and every field", () => {
    expect(traceDetail(rowOf("P1"), options)).toContain("compared in model-tests/drive/b.ts\n    size\n    order\n");
    expect(traceDetail(rowOf("G1"), options)).toContain("src/a.test.ts\n    a > [G1] polls, [G2] with a permit\n");
    expect(traceDetail(rowOf("P7"), options)).toContain("unchecked");
    expect(traceDetail(rowOf("P7", { P7: "later" }), options)).toContain("not served\n    later");
  });
});
