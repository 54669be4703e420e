/** `durability crash` as a user runs it, and what its report says of losses. */
import { describe, expect, test } from "vitest";
import { type CampaignFigures, crashText, makeCrashReport } from "../crash/report.ts";
import { cli } from "../testing/cli.ts";

test("crash runs the campaign and tells its figures as JSON, exit code 0", async () => {
  const flags = ["--store", "jsonl", "--durability", "process", "--kills", "2", "--seed", "3"];
  const { code, stdout, stderr } = await cli("crash", ...flags, "--reporter", "json");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(JSON.parse(stdout)).toMatchObject({
    version: 1,
    seed: 3,
    campaigns: [{ store: "jsonl", durability: "process", kills: 2, losses: [] }],
    failures: [],
    passed: true,
  });
});

describe("the report of a campaign", () => {
  const figures: CampaignFigures = {
    store: "jsonl",
    durability: "power",
    kills: 200,
    acknowledged: 4_321,
    unacknowledged: 87,
    tornTails: 6,
    recoveries: 150,
    durationMs: 50_000,
    losses: [],
  };
  const loss = { kill: 7, what: "transaction 3 of 9 is not there", evidence: "out/crash-jsonl-power-7" };
  const text = (campaigns: readonly CampaignFigures[]) =>
    crashText(makeCrashReport(1, campaigns), { colour: false, width: 100 });

  test("is one line a store and durability, and a verdict", () => {
    const shown = text([figures, { ...figures, store: "sqlite", tornTails: 0 }]);
    expect(shown).toMatch(/^jsonl +power +200 +4,321 +87 +6 +150 +0 +50\.0 s +4\.0$/m);
    expect(shown).toMatch(/^sqlite +power +200 +4,321 +87 +– +150 +0 /m);
    expect(shown).toContain("✓ nothing acknowledged was lost");
  });

  test("names each loss, where what was left is kept, and fails", () => {
    const lossy = { ...figures, losses: [loss] };
    expect(makeCrashReport(1, [figures, lossy])).toMatchObject({ passed: false, failures: ["jsonl, power: 1 loss"] });
    const shown = text([lossy]);
    expect(shown).toContain("✗ jsonl, power, kill 7");
    expect(shown).toContain(loss.what);
    expect(shown).toContain(`kept in ${loss.evidence}`);
    expect(shown).not.toContain("✓");
  });

  test("of a campaign that had nothing to recover fails, unless it was a short one", () => {
    expect(makeCrashReport(1, [{ ...figures, recoveries: 0 }]).failures).toEqual([
      "jsonl, power: no death left anything to check",
    ]);
    expect(makeCrashReport(1, [{ ...figures, kills: 5, recoveries: 0 }]).passed).toBe(true);
  });
});
