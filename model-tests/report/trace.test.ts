import { expect, test } from "vitest";
import { traceRows, traceText } from "./trace.ts";

const rows = traceRows([
  { path: "src/a.test.ts", text: 'test("[G1] polls, [G2] with a permit", () => {}); list[G3];' },
  { path: "model-tests/drive/b.ts", text: 'mismatch("P1", "field", 1, 2)' },
]);
const row = (id: string) => rows.find((one) => one.id === id);

test("a requirement is traced to its invariant, rows, compared fields and titled tests", () => {
  expect(row("N1")).toMatchObject({ checked: true, invariants: ["scalar state alone selects the restart point"] });
  expect(row("K3")?.races).toContain("R4");
  expect(row("G1")?.tests).toEqual(["src/a.test.ts"]);
  expect(row("G2")?.tests).toEqual(["src/a.test.ts"]);
  expect(row("P1")?.comparisons).toEqual(["model-tests/drive/b.ts"]);
});

test("brackets outside of a title check nothing", () => {
  expect(row("G3")?.checked).toBe(false);
});

test("without the sources the text says so", () => {
  const text = traceText(traceRows([]), { colour: false, width: 100, withSources: false });
  expect(text).toContain("The sources are not here");
});
