/** What a killed process has left on disk is compared with what it was told. */
import { describe, expect, test } from "vitest";
import { appendList, deleteList, list, MemoryStorage, setValue, value, type Write } from "../../src/index.ts";
import type { Offered } from "./child-process.ts";
import { Committed } from "./committed.ts";
import { Loss } from "./loss.ts";
import { findPrefix } from "./prefix.ts";

const words = list<string>("test.words");
const state = value<string>("test.state");
const transactions: Write[][] = [
  [setValue(state, "first")],
  [appendList(words, "a"), setValue(state, "second")],
  [appendList(words, "b")],
  [deleteList(words), setValue(state, "third")],
];

/** A store that holds the first transactions, of which a process was told the first few. */
async function left(landed: number, acknowledged: number): Promise<{ store: MemoryStorage; offered: Offered[] }> {
  const store = new MemoryStorage();
  const offered: Offered[] = [];
  for (const [at, writes] of transactions.entries()) {
    const seqs = at < landed ? (await store.commit(writes)).seqs : [];
    offered.push({ writes, ...(at < acknowledged && { seqs }) });
  }
  return { store, offered };
}

describe("what a dead process has left", () => {
  test.each([
    [0, 0],
    [1, 0],
    [2, 2],
    [3, 1],
    [4, 4],
  ])("[R5] %i transactions landed, of which %i were acknowledged", async (landed, acknowledged) => {
    const { store, offered } = await left(landed, acknowledged);
    const committed = new Committed();
    const prefix = await findPrefix(store, committed, offered);
    expect(prefix).toEqual({ acknowledged, unacknowledged: landed - acknowledged });
    expect(committed.durable.value("test.state", "")).toBe([undefined, "first", "second", "second", "third"][landed]);
  });

  test("[A13] an acknowledged transaction that is missing is a loss", async () => {
    const { store, offered } = await left(2, 2);
    offered[2] = { ...(offered[2] as Offered), seqs: [4] };
    await expect(findPrefix(store, new Committed(), offered)).rejects.toThrow(
      new Loss("transaction 3 of 4 (internal) is not there, though 3 were acknowledged"),
    );
  });

  test("[A3] a transaction of which a part is there is a loss", async () => {
    const { store, offered } = await left(1, 1);
    await store.commit([appendList(words, "a")]);
    await expect(findPrefix(store, new Committed(), offered)).rejects.toThrow("not all of it is whole");
  });

  test("[A13] a hole in front of what has landed is a loss", async () => {
    const { store, offered } = await left(2, 2);
    const state = value<number>("test.state", "other");
    await store.commit([appendList(list<string>("test.other"), "skipped")]);
    await store.commit([setValue(state, 1)]);
    const skipped: Offered = { writes: [setValue(value("test.hole"), 1)] };
    const last: Offered = { writes: [setValue(state, 1)] };
    await expect(findPrefix(store, new Committed(), [...offered.slice(0, 2), skipped, last])).rejects.toThrow(
      "value test.hole",
    );
  });

  test("[A3] a number that no transaction was given is a loss", async () => {
    const { store, offered } = await left(4, 4);
    await store.commit([setValue(state, "from nowhere")]);
    await expect(findPrefix(store, new Committed(), offered)).rejects.toThrow("the store holds number 7");
  });
});
