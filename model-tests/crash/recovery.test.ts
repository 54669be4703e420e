/** The crash campaign checks the first recovery after a kill, and finds a wrong one. */
import { beforeEach, describe, expect, test } from "vitest";
import { MemoryStorage, type Storage, type Write, wrapStorage } from "../../src/index.ts";
import { Random } from "../random.ts";
import { passThrough } from "../world/outside-store.ts";
import { Committed } from "./committed.ts";
import { harnessOver, JumpingClock } from "./harness.ts";
import { afterDeathOf, startOf } from "./protocol.ts";
import { checkRecovery, isOrphaned } from "./recovery.ts";
import { ScriptedProvider } from "./scripted-provider.ts";

/** The transactions of one operation up to its settlement, which is left out: a process died before it. */
async function interrupted(cancelled: boolean): Promise<Write[][]> {
  const store = new MemoryStorage({ now: () => 0 });
  const transactions: Write[][] = [];
  const storage = passThrough(store, async (writes) => void transactions.push([...writes]));
  const clock = new JumpingClock(startOf(1));
  let cancelling: Promise<unknown> = Promise.resolve();
  const models = new ScriptedProvider(new Random(5), false, () => {
    if (cancelled) cancelling = lane.cancel();
  });
  const harness = await harnessOver(storage, clock, models);
  const lane = await harness.lane("main");
  await lane.accept({ prompt: "hello" });
  await lane.activate();
  await cancelling;
  const settlement = transactions.findIndex((writes) => writes.some(({ kind }) => kind === "usage"));
  return transactions.slice(0, settlement);
}

describe.each([
  ["running", false],
  ["cancelled", true],
])("a response that was orphaned while the operation was %s", (_, cancelled) => {
  let transactions: Write[][];
  let committed: Committed;
  let store: MemoryStorage;
  beforeEach(async () => {
    transactions = await interrupted(cancelled);
    committed = new Committed();
    store = new MemoryStorage({ now: () => 0 });
    for (const writes of transactions) committed.add(writes, (await store.commit(writes)).seqs);
  });

  /** Opens the store again, with a fault in what goes through it; memory outlives the handle. */
  const openWith = (fault: Partial<Storage>) => async (): Promise<Storage> =>
    wrapStorage(store, { close: async () => {}, ...fault });
  const check = (fault: Partial<Storage> = {}) => checkRecovery(openWith(fault), committed, afterDeathOf(1));

  test("[E3] [E5] [E9] is recovered once, with what was committed, under the reserved ids", async () => {
    expect(isOrphaned(committed)).toBe(true);
    await check();
    expect(isOrphaned(committed)).toBe(false);
  });

  test("[E3] a recovery that overlooks a committed frame is caught", async () => {
    const short: Storage["readList"] = async (address, options) => (await store.readList(address, options)).slice(0, 1);
    await expect(check({ readList: short })).rejects.toThrow("E3: the response is not the reduction");
  });

  test("[E5] a recovery that leaves the frames behind is caught", async () => {
    const keeping = (writes: Write[]) => store.commit(writes.filter(({ kind }) => kind !== "list"));
    await expect(check({ commit: keeping })).rejects.toThrow("the recovery failed");
  });

  test("[E5] a recovery under another id than the reserved one is caught", async () => {
    const reserved = JSON.stringify(transactions).replaceAll(/"usageId":"[^"]+"/g, '"usageId":"another"');
    committed = new Committed();
    for (const writes of JSON.parse(reserved) as Write[][]) committed.add(writes, committed.numbersOf(writes));
    await expect(check()).rejects.toThrow("E5: the usage row is not under its reserved id");
  });
});
