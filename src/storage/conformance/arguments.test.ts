/** Wrong arguments get the same typed errors from every store, and change nothing (A1, A8). */
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { list, value } from "../../addresses/address.ts";
import { type Source, stores, temporaryFolder } from "../../testing/storage/stores.ts";
import { appendList, setValue, type Write } from "../contract/writes.ts";
import { fileStoreNamed, fileStoreNames } from "../file-stores.ts";

const words = list<string>("test.words");
let folder: ReturnType<typeof temporaryFolder>;
let now: () => unknown;
const opened: Source[] = [];

beforeEach(() => {
  folder = temporaryFolder();
  now = () => 7;
});

afterEach(async () => {
  for (const storage of opened.splice(0)) await storage.close();
  folder.remove();
});

const set = (namespace: unknown, key: unknown) => ({ kind: "value", op: "set", namespace, key, value: 1 });
const append = (namespace: unknown, key: unknown) => ({ kind: "list", op: "append", namespace, key, value: 1 });

const transactions: [string, unknown][] = [
  ["null", null],
  ["text", "abc"],
  ["a write that is null", [null]],
  ["a write that is an array", [[]]],
  ["a write that is text", ["x"]],
  ...([set, append] as const).flatMap((make): [string, unknown][] => [
    [`an empty namespace (${make.name})`, [make("", "k")]],
    [`a zero character in the namespace (${make.name})`, [make("a\0b", "k")]],
    [`a zero character in the key (${make.name})`, [make("n", "\0")]],
    [`half a surrogate in the namespace (${make.name})`, [make("\ud800", "k")]],
    [`half a surrogate in the key (${make.name})`, [make("n", "a\udc00")]],
    [`a key that is a number (${make.name})`, [make("n", 1)]],
  ]),
  ["a deletion at no place", [{ kind: "list", op: "delete", namespace: "a\0", key: "" }]],
];

type Ask = (storage: Source) => Promise<unknown>;
const reads: [string, Ask][] = [
  ...[{}, null, { seq: "1" }, { seq: Number.NaN }, { seq: 1.5 }, 1].flatMap((cursor): [string, Ask][] => [
    [`cursor ${JSON.stringify(cursor)} of a list`, (s) => s.readList(words, { cursor: cursor as never })],
    [`cursor ${JSON.stringify(cursor)} of a branch`, (s) => s.scanBranch({ start: "a", cursor: cursor as never })],
  ]),
  ...["bogus", null, "ASC", 1, "__proto__"].flatMap((order): [string, Ask][] => [
    [`order ${order} of a list`, (s) => s.readList(words, { order: order as never })],
    [`order ${order} of entries`, (s) => s.scanEntries({ order: order as never })],
    [`order ${order} of usage`, (s) => s.scanUsage({ order: order as never })],
    [`order ${order} of a branch`, (s) => s.scanBranchStructure({ start: "a", order: order as never })],
  ]),
  ...[Number.NaN, null, "1"].flatMap((number): [string, Ask][] => [
    [`limit ${number} of entries`, (s) => s.scanEntries({ limit: number as never })],
    [`limit ${number} of a branch`, (s) => s.scanBranch({ start: "a", limit: number as never })],
    [`fromSeq ${number}`, (s) => s.scanUsage({ fromSeq: number as never })],
    [`toSeq ${number}`, (s) => s.scanEntries({ toSeq: number as never })],
  ]),
  ["an address that is null", (s) => s.getValue(null as never)],
  ["an address without key", (s) => s.scanValues({ namespace: "n" } as never)],
  ["ids that are null", (s) => s.getEntries(null as never)],
  ["an id that is a number", (s) => s.getEntries([1 as never])],
  ["a scan that is null", (s) => s.scanEntries(null as never)],
];

describe.each(stores)("the $name store", (store) => {
  const open = async () => {
    const storage = await store.openIn(folder.path, () => now() as number);
    opened.push(storage);
    return storage;
  };

  test.each(transactions)("[A1, A4] refuses %s as a transaction, which uses no number", async (_name, writes) => {
    const storage = await open();
    await expect(storage.commit(writes as Write[])).rejects.toMatchObject({
      code: "storage_rejected",
      reason: "malformed_write",
    });

    expect((await storage.commit([appendList(words, "x")])).firstSeq).toBe(1);
  });

  test.each([Number.NaN, undefined, 1.5, Number.POSITIVE_INFINITY, "1", 2 ** 60])(
    "[A8] refuses a commit at the time %s, and goes on",
    async (time) => {
      const storage = await open();
      now = () => time;
      await expect(storage.commit([appendList(words, "x")])).rejects.toThrow(TypeError);
      now = () => 8;

      expect(await storage.commit([appendList(words, "x")])).toMatchObject({ firstSeq: 1, timestamp: 8 });
    },
  );

  test.each(reads)("[A8] refuses %s, and goes on", async (_name, ask) => {
    const storage = await open();
    await storage.commit([appendList(words, "x")]);
    await expect(ask(storage)).rejects.toThrow(TypeError);

    expect(await storage.readList(words)).toHaveLength(1);
  });

  test("[A8] takes the arguments of a read when it is called", async () => {
    const storage = await open();
    const address = { ...value<number>("v") };
    const options = { cursor: { seq: 0 }, limit: 10 };
    const scan = { limit: 10 };
    await storage.commit([setValue(value("v"), 1), appendList(words, "a"), appendList(words, "b")]);
    const landed = storage.commit([appendList(words, "c")]);
    const asked = Promise.all([storage.getValue(address), storage.readList(words, options), storage.scanEntries(scan)]);
    Object.assign(address, { namespace: "w" });
    options.cursor.seq = 99;
    Object.assign(scan, { order: "bogus" });
    await landed;

    expect(await asked).toMatchObject([{ value: 1 }, [{ value: "a" }, { value: "b" }, { value: "c" }], []]);
  });
});

test.each(fileStoreNames)(
  "[A13] the %s store refuses a durability that does not exist, and makes no file",
  async (name) => {
    for (const durability of ["Power", "POWER", "", null, true] as never[]) {
      await expect(fileStoreNamed(name).open(join(folder.path, "s"), { durability })).rejects.toThrow(TypeError);
    }
  },
);
