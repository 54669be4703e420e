/** The promised speeds are compared with what was measured, for the reader of `durability bench`. */
import { expect, test } from "vitest";
import { appendRate } from "./appends.ts";
import { judge } from "./budgets.ts";
import { measured } from "./measurement.ts";
import { referenceSubject, settleLatency } from "./settling.ts";

const own = { system: "assistant-durability" } as const;
const rate = (subject: string, at: string, value: number) =>
  measured({ ...own, quantity: appendRate, subject, at, unit: "frames/s", samples: [value] });
const latency = (at: string, value: number) =>
  measured({ ...own, quantity: settleLatency, subject: referenceSubject, at, unit: "ms", samples: [value] });

const verdictOn = (name: string, streamFrames: number, ...found: ReturnType<typeof rate>[]) => {
  const budget = judge(found, streamFrames).find((it) => it.budget.startsWith(name));
  return [budget?.verdict, budget?.measured, budget?.at];
};

test("a rate is judged where it is worst", () => {
  const slow = rate("memory", "100000 frames", 99_999);
  const fast = rate("memory", "1000 frames", 400_000);
  expect(verdictOn("appends in memory", 2_000, fast)).toEqual(["met", 400_000, "1000 frames"]);
  expect(verdictOn("appends in memory", 2_000, fast, slow)).toEqual(["not met", 99_999, "100000 frames"]);
});

test("settling is judged for the stream and the store that are promised, and for no other", () => {
  const found = [latency("1 ms a write", 20), latency("10 ms a write", 90)];
  expect(verdictOn("settling", 2_000, ...found)).toEqual(["met", 20, "1 ms a write"]);
  expect(verdictOn("settling", 1_000, ...found)).toEqual(["not measured", undefined, undefined]);
});

test("what was not measured is not met", () => {
  expect(judge([], 2_000).map(({ verdict }) => verdict)).toEqual(Array(5).fill("not measured"));
});
