/** The crash campaign finds a store that loses data: a store that replies too early is killed and caught. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fileStoreNames } from "../../src/index.ts";
import { crashCampaign } from "./campaign.ts";

const durabilities = ["process", "power"] as const;
const kills = 10;

describe("killed processes", () => {
  test.each(fileStoreNames.flatMap((store) => durabilities.map((durability) => [store, durability] as const)))(
    "[R5] [A13] [E9] on %s with %s lose nothing that was acknowledged, leave nothing half, and are recovered",
    async (store, durability) => {
      const figures = await crashCampaign({ store, durability, kills, seed: 1 });
      expect(figures.losses).toEqual([]);
      expect(figures.kills).toBe(kills);
      expect(figures.acknowledged).toBeGreaterThan(kills);
      expect(figures.recoveries).toBeGreaterThan(0);
    },
  );

  test("[A13] a store that replies before it has written is caught, and what it left behind is kept", async () => {
    const evidence = mkdtempSync(join(tmpdir(), "durability-evidence-"));
    const storeModule = new URL("../testing/early-replying-store.ts", import.meta.url).href;
    try {
      const { losses } = await crashCampaign({
        store: "jsonl",
        durability: "process",
        kills: 4,
        seed: 2,
        evidence,
        storeModule,
      });
      expect(losses.map(({ what }) => what)).toContainEqual(
        expect.stringMatching(/^transaction \d+ of \d+ \(\w+\) is not there, though \d+ were acknowledged$/),
      );
      expect(readdirSync(losses[0]?.evidence ?? "")).toContain("session");
    } finally {
      rmSync(evidence, { recursive: true });
    }
  });

  test("a process that ends by itself is a loss, with its reason", async () => {
    const storeModule = new URL("./no-such-module.ts", import.meta.url).href;
    const { losses } = await crashCampaign({ store: "jsonl", durability: "process", kills: 1, seed: 4, storeModule });
    expect(losses).toEqual([{ kill: 1, what: expect.stringContaining("no-such-module") }]);
  });
});
