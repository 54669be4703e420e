/** What every store in a file promises beyond the contract. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { list, value } from "../../addresses/address.ts";
import { NotASession, SessionLocked, StorageClosed } from "../../errors.ts";
import { type FileStorage, fileStores, temporaryFolder } from "../../testing/storage/stores.ts";
import { zeroUsage } from "../contract/usage-totals.ts";
import { appendList, deleteList, insertEntry, insertUsage, setValue } from "../contract/writes.ts";
import { fileStoreNamed, fileStoreNames } from "../file-stores.ts";

const words = list<string>("test.words");
const note = (id: string) => insertEntry({ id, parentId: null, type: "custom", customType: "note" });

/** The endings of all files that any store puts beside a session. */
const besideEndings = [
  ...new Set(fileStoreNames.flatMap((name) => [...fileStoreNamed(name).written, ...fileStoreNamed(name).beside])),
].filter((ending) => ending !== "");

const newSessionOf = (title: string, path: string) => {
  const named = fileStoreNames.map(fileStoreNamed).find((store) => store.title === title);
  return named?.newSession(path)({ nextSeq: 1, async *pages() {} });
};

describe.each(fileStores)("a session in a file of the $name store", (store) => {
  let folder: ReturnType<typeof temporaryFolder>;
  const opened: FileStorage[] = [];
  const open = async () => {
    const storage = await store.open(join(folder.path, "session"), () => 7);
    opened.push(storage);
    return storage;
  };

  beforeEach(() => {
    folder = temporaryFolder();
  });

  afterEach(async () => {
    for (const storage of opened.splice(0)) await storage.close();
    folder.remove();
  });

  test.each(["close", "kill"] as const)("[A3] goes on after %s where it was", async (end) => {
    const first = await open();
    await first.commit([note("a"), appendList(words, "x"), setValue(value("v"), { half: "\ud83d" })]);
    await first.commit([deleteList(words)]);
    await first[end]();
    const second = await open();

    expect(await second.getValue(value("v"))).toMatchObject({ seq: 3, value: { half: "\ud83d" } });
    expect(await second.readList(words)).toEqual([]);
    expect([...(await second.getEntries(["a"])).keys()]).toEqual(["a"]);
    await expect(second.commit([note("a")])).rejects.toMatchObject({ reason: "duplicate_id" });
    expect((await second.commit([appendList(words, "y")])).firstSeq).toBe(5);
  });

  test("[A8] keeps its totals, also those beyond all numbers", async () => {
    const first = await open();
    const usage = (id: string) => insertUsage({ id, usage: { ...zeroUsage(), input: 1e308 }, adjustment: false });
    const { stats } = await first.commit([usage("u"), usage("v"), note("a")]);
    await first.close();

    expect(await (await open()).getStats()).toStrictEqual(stats);
  });

  test("[A12] close lets admitted commits land", async () => {
    const first = await open();
    const admitted = first.commit([appendList(words, "x")]);
    await first.close();
    await admitted;

    expect(await (await open()).readList(words)).toHaveLength(1);
  });

  test("[A13] has one writer, until it closes or dies", async () => {
    const first = await open();
    await expect(open()).rejects.toThrow(SessionLocked);
    // The refused attempt has not loosened the lock.
    await expect(open()).rejects.toThrow(SessionLocked);
    await first.kill();
    await (await open()).close();
    await open();
  });

  test("[A12] refuses every call after kill, and close after it is a no-op", async () => {
    const first = await open();
    await Promise.all([first.kill(), first.kill()]);
    await expect(first.getStats()).rejects.toThrow(StorageClosed);
    await expect(first.commit([])).rejects.toThrow(StorageClosed);
    await first.close();
  });

  test.each(besideEndings)("[A9, A10] is never called as a file beside a session is: %s", async (ending) => {
    const path = join(folder.path, `session${ending}`);
    writeFileSync(path, "kept");

    await expect(store.open(path, () => 7)).rejects.toMatchObject({ code: "not_a_session", path });
    await expect(store.open(join(folder.path, `S${ending.toUpperCase()}`), () => 7)).rejects.toMatchObject({
      code: "not_a_session",
    });
    await expect(newSessionOf(store.name, path)).rejects.toMatchObject({ code: "not_a_session" });
    expect(readFileSync(path, "utf8")).toBe("kept");
  });

  test("[A9] is never a folder", async () => {
    await expect(store.open(folder.path, () => 7)).rejects.toThrow(NotASession);
  });
});
