/** A disk that fails at a chosen operation (A13). */
import { inspect } from "node:util";
import { beforeEach, describe, expect, test } from "vitest";
import { CorruptSession, StorageFailed } from "../../errors.ts";
import { deferred, linesOf, note, words } from "../../testing/jsonl/sessions.ts";
import {
  type DiskCall,
  describeCall,
  diskError,
  type Intercept,
  UnreliableDisk,
} from "../../testing/jsonl/unreliable-disk.ts";
import { appendList, deleteList } from "../contract/writes.ts";
import { JsonlStorage } from "./jsonl.ts";

/** Lets the `at`-th call of an operation (from 1) end with `outcome`. */
function failing(operation: DiskCall["operation"], at: number, outcome: (call: DiskCall) => number): Intercept {
  let seen = 0;
  return (call) => (call.operation === operation && ++seen === at ? outcome(call) : undefined);
}

const throwing =
  (code: string, landed = 0) =>
  (): number => {
    throw diskError(code, landed);
  };

describe("a disk that fails", () => {
  let files: UnreliableDisk;
  let storage: JsonlStorage;
  const append = (word: string) => storage.commit([appendList(words, word)]);
  const open = () => JsonlStorage.open("s", { files, durability: "power" });
  const wordsOf = async (store: JsonlStorage) => (await store.readList(words)).map(({ value }) => value);

  beforeEach(async () => {
    files = new UnreliableDisk();
    storage = await open();
    await append("acknowledged");
    files.calls.length = 0;
  });

  const faults: [string, Intercept, number][] = [
    ["an error of the write, nothing landed", failing("append", 1, throwing("EIO")), 0],
    ["an error of the write, part of it landed", failing("append", 1, throwing("ENOSPC", 40)), 0],
    ["an error of the write, all of it landed", failing("append", 1, throwing("EIO", 1e6)), 1],
    ["a short write", failing("append", 1, () => 10), 0],
    [
      "a short write that ends within a later transaction",
      failing("append", 2, ({ bytes }) => (bytes?.length ?? 0) - 1),
      2,
    ],
    ["an error of the sync", failing("sync", 1, throwing("EIO")), 0],
    ["an error of the sync of a later group", failing("sync", 2, throwing("EIO")), 1],
  ];

  test.each(faults)(
    "[A13] %s: the commit and all behind it fail, and so do later ones, until a reopen",
    async (...args) => {
      const [, intercept, landed] = args;
      files.intercept = intercept;
      const burst = await Promise.allSettled(["a", "b", "c"].map(append));
      const replied = burst.filter(({ status }) => status === "fulfilled").length;
      for (const outcome of burst.slice(replied)) {
        expect(outcome).toMatchObject({ status: "rejected", reason: expect.any(StorageFailed) });
      }
      const calls = files.calls.length;
      await expect(append("later")).rejects.toThrow(StorageFailed);
      await expect(storage.commit([note("n")])).rejects.toThrow(StorageFailed);
      await expect(storage.commit([note("n")])).rejects.toThrow(StorageFailed);
      await expect(storage.compact()).rejects.toThrow(StorageFailed);
      expect(files.calls).toHaveLength(calls);
      expect(await wordsOf(storage)).toEqual(["acknowledged", "a", "b", "c"].slice(0, 1 + replied));
      await storage.close();

      const reopened = await open();
      expect(await wordsOf(reopened)).toEqual(["acknowledged", "a", "b", "c"].slice(0, 1 + Math.max(replied, landed)));
      await reopened.commit([appendList(words, "new")]);
      await reopened.close();
      expect(linesOf(files.bytes("s"))).toHaveLength(3 + Math.max(replied, landed));
    },
  );

  test("[A13] a read that waits behind a failing write answers with what was replied", async () => {
    files.intercept = failing("append", 1, throwing("EIO"));
    const failed = append("lost").catch((error: unknown) => error);
    expect(await wordsOf(storage)).toEqual(["acknowledged"]);
    expect(await failed).toBeInstanceOf(StorageFailed);
    await storage.close();
  });

  test("[A13] a failed sync is never tried again, and what it could not write is not read at reopen", async () => {
    files.intercept = failing("sync", 1, throwing("EIO"));
    await expect(append("forgotten")).rejects.toThrow(StorageFailed);
    expect(files.count("sync")).toBe(1);
    await storage.close();
    const reopened = await open();
    await reopened.commit([appendList(words, "after")]);
    await reopened.close();
    files = files.afterPowerCut(() => 0);
    const afterCut = await open();
    expect(await wordsOf(afterCut)).toEqual(["acknowledged", "after"]);
    await afterCut.close();
  });

  test("[A13] what a failed sync could not write is cut off a compacted file just as well", async () => {
    await storage.commit([deleteList(words)]);
    await storage.compact();
    const compacted = files.bytes("s");
    files.intercept = failing("sync", 1, throwing("EIO"));
    await expect(append("forgotten")).rejects.toThrow(StorageFailed);
    expect(files.bytes("s")).toEqual(compacted);
    await storage.close();
  });

  test.each(["create", "append", "sync", "rename", "syncFolder", "close"] as const)(
    "[A13] compaction that fails in %s ends the store; a reopen has everything and clears up",
    async (operation) => {
      files.intercept = failing(operation, 1, throwing("EIO"));
      await expect(storage.compact()).rejects.toThrow(StorageFailed);
      await expect(append("later")).rejects.toThrow(StorageFailed);
      await storage.close();
      const reopened = await open();
      expect(await wordsOf(reopened)).toEqual(["acknowledged"]);
      expect(files.names()).toEqual(["s"]);
      await reopened.close();
    },
  );

  test.each(["create", "append", "sync", "rename", "syncFolder"] as const)(
    "a new session whose %s fails is not opened, and can be opened later",
    async (operation) => {
      const fresh = new UnreliableDisk();
      fresh.intercept = failing(operation, 1, throwing("EIO"));
      await expect(JsonlStorage.open("s", { files: fresh })).rejects.toThrow(StorageFailed);
      await (await JsonlStorage.open("s", { files: fresh })).close();
      expect(fresh.names()).toEqual(["s"]);
    },
  );

  test("a failure to open for writing lets go of the lock and names the file", async () => {
    await storage.close();
    files.intercept = failing("open", 1, throwing("EACCES"));
    await expect(open()).rejects.toMatchObject({ code: "storage_failed", path: "s" });
    await (await open()).close();
  });

  test("[A12] a kill that overtakes a close leaves no file open", async () => {
    const closing = storage.close();
    void closing.catch(() => {});
    await storage.kill();

    expect(files.calls.map(describeCall)).toEqual(["close s.unfinished"]);
  });

  test("a close that fails says so, and lets go of the lock", async () => {
    files.intercept = failing("close", 1, throwing("EIO"));
    await expect(storage.close()).rejects.toThrow(StorageFailed);
    await (await open()).close();
  });

  test("[A9] a torn tail is cut off before anything is written, and what stood in it never comes back", async () => {
    await storage.close();
    const whole = files.bytes("s") ?? Buffer.alloc(0);
    files.place("s", Buffer.concat([whole, Buffer.from('{"seq":2,"kind":"list","op":"append","namespa')]));
    files.intercept = ({ operation }) => (operation === "truncate" ? deferred<undefined>().promise : undefined);
    files.calls.length = 0;
    void open();
    await new Promise((turn) => setImmediate(turn));

    expect(files.calls.map(({ operation }) => operation)).toEqual(["remove", "open", "truncate"]);
  });

  test("[A9] corruption found at open changes nothing on disk and lets go of the lock", async () => {
    await storage.close();
    const damaged = Buffer.concat([files.bytes("s") ?? Buffer.alloc(0), Buffer.from("secret\n{torn")]);
    files.place("s", damaged);
    files.place("s.unfinished", Buffer.from("left"));
    files.calls.length = 0;

    await expect(open()).rejects.toThrow(CorruptSession);
    await expect(open()).rejects.toMatchObject({ line: 3, path: "s" });
    expect(inspect(await open().catch((error: unknown) => error))).not.toContain("secret");
    expect(files.calls).toEqual([]);
    expect(files.bytes("s")).toEqual(damaged);
    expect(files.names()).toEqual(["s", "s.unfinished"]);
  });
});
