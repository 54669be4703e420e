/** What a harness keeps of its transcripts: the same as the store's, for less (E8). */
import { describe, expect, test } from "vitest";
import type { Entry, NewEntry } from "../../durable/entries.ts";
import type { BranchScan, Storage } from "../../storage/contract/storage.ts";
import { insertEntry } from "../../storage/contract/writes.ts";
import { MemoryStorage } from "../../storage/memory/memory.ts";
import { KeptTranscripts } from "./kept-transcripts.ts";
import { deriveMessages } from "./transcript.ts";

/** A store that counts the entries that branch scans have given out. */
class CountingStorage extends MemoryStorage {
  given = 0;

  override async scanBranch(query: BranchScan): Promise<Entry[]> {
    const found = await super.scanBranch(query);
    this.given += found.length;
    return found;
  }
}

const message = (id: string, parentId: string | null): NewEntry => ({
  type: "message",
  id,
  parentId,
  message: { role: "user", content: [{ type: "text", text: id }], timestamp: 1 },
});

const add = (storage: Storage, id: string, parentId: string | null) =>
  storage.commit([insertEntry(message(id, parentId))]);

function open() {
  const storage = new CountingStorage();
  const kept = new KeptTranscripts();
  const read = <T>(query: (from: Storage) => Promise<T>) => query(storage);
  return {
    storage,
    entries: (tip: string | null, lane = "main") => kept.entries(read, lane, tip),
    messages: (tip: string | null, lane = "main") => kept.messages(read, lane, tip),
  };
}

describe("kept transcripts", () => {
  test("[E8] each operation reads only the entries that are new", async () => {
    const { storage, entries, messages } = open();
    const length = 200;
    for (let n = 0; n < length; n++) {
      await add(storage, `m${n}`, n === 0 ? null : `m${n - 1}`);
      expect(await messages(`m${n}`)).toHaveLength(n + 1);
      expect(await entries(`m${n}`)).toHaveLength(n + 1);
    }
    // Each new one, and the one before, where the scan stops.
    expect(storage.given).toBeLessThan(2 * length);
  });

  test("[E8] are those of the store wherever the tip goes: on, back, to another branch, to none", async () => {
    const { storage, entries, messages } = open();
    await add(storage, "a", null);
    for (const branch of ["b", "c"]) {
      await add(storage, `${branch}1`, "a");
      await add(storage, `${branch}2`, `${branch}1`);
    }
    await add(storage, "other", null);
    for (const tip of ["a", "b1", "c2", "c2", "a", "b2", "b1", "other", "c1", "b2"]) {
      const stored = await storage.scanBranch({ start: tip, order: "oldestFirst" });
      expect(await entries(tip)).toEqual(stored);
      expect(await messages(tip)).toEqual(deriveMessages(stored));
    }
    expect(await entries(null)).toEqual([]);
    expect(await messages(null)).toEqual([]);
  });

  test("[J4] what a provider changes in place reaches neither the store nor a snapshot", async () => {
    const { storage, entries, messages } = open();
    await add(storage, "a", null);
    const before = JSON.stringify(await entries("a"));
    const given = await messages("a");
    (given[0]?.content as { text: string }[])[0] = { text: "changed" };
    given.push(...given);
    (await entries("a")).pop();
    expect(JSON.stringify(await entries("a"))).toBe(before);
    expect(JSON.stringify(await storage.scanBranch({ start: "a" }))).toBe(before);
    expect(await messages("a")).toHaveLength(1);
  });

  test("[E8] of lanes that were not used for long are read again, not kept", async () => {
    const { storage, entries } = open();
    await add(storage, "a", null);
    for (let lane = 0; lane < 1_000; lane++) await entries("a", `lane ${lane}`);
    storage.given = 0;
    await entries("a", "lane 999");
    expect(storage.given).toBe(0);
    expect(await entries("a", "lane 0")).toHaveLength(1);
    expect(storage.given).toBe(1);
  });
});
