/** The report for people: verdict last, narrow lines, honest numbers. */
import { describe, expect, test } from "vitest";
import { fails, holds, known, undecided } from "../testing/sample-reports.ts";
import type { Report } from "../verify/report.ts";
import { prettyReport } from "./pretty.ts";
import type { VerifyLayout } from "./reporter.ts";

const plain: VerifyLayout = {
  colour: false,
  width: 100,
  replayCommand: ({ id }) => `npx durability replay out/${id}.json`,
};
const text = (report: Report, options: Partial<VerifyLayout> = {}): string =>
  prettyReport(report, { ...plain, ...options });
/** What stands below the last rule. */
const verdict = (report: Report): string | undefined =>
  text(report)
    .trim()
    .split(/─{10,}\n/)
    .at(-1);

describe("the report for people", () => {
  test.each([
    ["that holds", holds],
    ["with listed divergences", known],
    ["that fails", fails],
  ])("of a verification %s", (_, report) => {
    expect(text(report)).toMatchSnapshot();
  });

  test("ends with the verdict", () => {
    expect(verdict(holds)).toMatch(/^✓ sample holds/);
    expect(verdict(known)).toMatch(/^✓ sample holds.*except for 1 listed divergence/);
    expect(verdict(fails)).toMatch(/^✗ sample fails:\n {2}· 1 unlisted divergence\n(.*\n)+.*vacuous/);
  });

  test("calls a run that was cut short undecided, not failed", () => {
    expect(verdict(undecided)).toMatch(/^✗ sample is not decided: .*inconclusive/);
  });

  test("fits into 100 columns", () => {
    for (const report of [holds, known, fails]) {
      for (const line of text(report).split("\n")) expect([...line].length).toBeLessThanOrEqual(100);
    }
  });

  test("says how to get a counterexample when none was written", () => {
    expect(text(fails, { replayCommand: () => undefined })).toContain("--out DIR");
  });

  test("rounds coverage down: 100 % means all of it", () => {
    expect(text(holds)).toMatch(/transitions .* 99 % /);
  });

  test("is the same text with and without colour", () => {
    const coloured = text(fails, { colour: true });
    expect(coloured).not.toBe(text(fails));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control characters.
    expect(coloured.replace(/\u001b\[\d+m/g, "")).toBe(text(fails));
  });
});
