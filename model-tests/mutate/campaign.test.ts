/** A sample of the mutants is noticed; the whole catalogue is for `durability mutate`. */
import { expect, test } from "vitest";
import { tryMutants } from "./campaign.ts";
import { mutantNamed } from "./catalogue/catalogue.ts";
import { isDetected, type TrialResult } from "./verdict.ts";

/** Of each section some that die early. */
const gate = ["settlement-leaves-the-tip", "due-at-once", "retry-keeps-its-number", "foreign-handle-is-accepted"];

test("mutants of every section are noticed", { timeout: 300_000 }, async () => {
  const results: Record<string, TrialResult> = {};
  await tryMutants(
    gate.map((name) => mutantNamed(name).mutant),
    { jobs: 2, timeoutMs: 120_000 },
    (mutant, result) => {
      results[mutant.name] = result;
    },
  );
  expect(Object.keys(results)).toHaveLength(gate.length);
  expect(Object.entries(results).filter(([, result]) => !isDetected(result))).toEqual([]);
});
