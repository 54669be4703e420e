/** A sample of the mutants is noticed; the whole catalogue is for `durability mutate`. */
import { expect, test } from "vitest";
import { tryMutants } from "./campaign.ts";
import { mutantNamed } from "./catalogue/catalogue.ts";
import { isDetected, type TrialResult } from "./verdict.ts";

/** Some that die early: of the reference, of a store and of pi-agent-core. */
const gate = [
  "first-frame-is-not-stored",
  "start-told-as-update",
  "frames-of-another-response",
  "hook-before-the-frames",
  "update-carries-the-partial",
  "settlement-leaves-the-tip",
  "due-at-once",
  "one-result-id-for-all-calls",
  "prompt-text-lost",
  "prompt-time-zero",
  "tip-stays-at-accept",
  "meta-names-no-prompt",
  "meta-source-is-the-prompt",
  "lane-state-stays-idle",
  "retry-rule-not-captured",
  "intent-without-api",
  "memory-cursor-is-inclusive",
  "pi-accept-leaves-tip",
  "pi-due-at-once",
  "pi-start-frame-lost",
];

test("a sample of the mutants is noticed", { timeout: 600_000 }, async () => {
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
