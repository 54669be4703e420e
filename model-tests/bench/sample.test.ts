/** How a benchmark is repeated, warmed up and summed up in one number. */
import { expect, test, vi } from "vitest";
import { compared, measured } from "./measurement.ts";
import { median, sample } from "./sample.ts";

test("the median is the middle, or the mean of the two in the middle, of numbers and not of texts", () => {
  expect(median([10, 9, 100])).toBe(10);
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(() => median([])).toThrow(RangeError);
});

test("a run to warm up comes first and is not counted", async () => {
  let calls = 0;
  expect(await sample({ runs: 3, warmUpMs: 0 }, async () => ++calls)).toEqual([2, 3, 4]);
});

test("what is over soon is warmed up more than once", async () => {
  let calls = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => calls * 10);
  const samples = await sample({ runs: 1, warmUpMs: 35 }, async () => ++calls).finally(() => clock.mockRestore());
  expect(samples).toEqual([5]);
});

test("a ratio stands beside the peer under the same condition, and nowhere else", () => {
  const one = { quantity: "rate", system: "assistant-durability", unit: "frames/s" } as const;
  const own = measured({ ...one, subject: "memory", at: "9 frames", samples: [1, 6, 8], peer: "pi memory" });
  const elsewhere = measured({ ...own, at: "8 frames" });
  const pi = measured({ ...one, subject: "pi memory", system: "pi-agent-core", at: "9 frames", samples: [3] });
  expect(compared([own, elsewhere, pi]).map(({ ratio }) => ratio)).toEqual([2, undefined, undefined]);
});
