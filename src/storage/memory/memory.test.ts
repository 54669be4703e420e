/** The memory store. */
import type { Usage } from "@earendil-works/pi-ai";
import { beforeEach, describe, expect, test } from "vitest";
import { list, value } from "../../addresses/address.ts";
import type { NewEntry } from "../../durable/entries.ts";
import { StorageClosed, StorageRejected } from "../../errors.ts";
import { zeroUsage } from "../contract/usage-totals.ts";
import {
  appendList,
  deleteList,
  deleteValue,
  insertEntry,
  insertUsage,
  setValue,
  type Write,
} from "../contract/writes.ts";
import { MemoryStorage } from "./memory.ts";

const words = list<string>("test.words");
const entry = (id: string, parentId: string | null = null): NewEntry => ({
  id,
  parentId,
  type: "custom",
  customType: "note",
});
const usage = (id: string) => insertUsage({ id, usage: zeroUsage(), adjustment: false });

const cycle: { self?: unknown } = {};
cycle.self = cycle;

describe("MemoryStorage", () => {
  let storage: MemoryStorage;
  beforeEach(() => {
    storage = new MemoryStorage({ now: () => 7 });
  });

  test("[A3] numbers every write in order over transactions", async () => {
    const first = await storage.commit([insertEntry(entry("a")), appendList(words, "x"), deleteValue(value("v"))]);
    const second = await storage.commit([setValue(value<number>("v"), 1)]);

    expect(first).toMatchObject({ firstSeq: 1, seqs: [1, 2, 3], timestamp: 7 });
    expect(second.seqs).toEqual([4]);
  });

  test.each([
    ["an entry id twice", [insertEntry(entry("a"))]],
    ["a usage id that is an entry id", [usage("a")]],
    ["the same new id twice", [insertEntry(entry("b")), usage("b")]],
    ["a missing parent", [insertEntry(entry("b", "none"))]],
    ["a parent that comes later", [insertEntry(entry("b", "c")), insertEntry(entry("c"))]],
    ["content that is no JSON", [setValue(value("v"), new Date(0))]],
    ["content that contains itself", [setValue(value("v"), cycle)]],
    ["content that nests too deep", [appendList(list("test.deep"), JSON.parse("[".repeat(1_001) + "]".repeat(1_001)))]],
    ["a write of no known kind", [{ kind: "frame" } as unknown as Write]],
    ["an entry of no known type", [insertEntry({ ...entry("b"), type: "note" } as unknown as NewEntry)]],
    ["usage that cannot be added up", [insertUsage({ id: "b", usage: {} as Usage, adjustment: false })]],
  ])("[A4] refuses %s, changes nothing and uses no number", async (_name, writes) => {
    await storage.commit([insertEntry(entry("a"))]);
    await expect(storage.commit([appendList(words, "lost"), ...writes])).rejects.toThrow(StorageRejected);
    expect(await storage.readList(words)).toEqual([]);
    expect((await storage.commit([appendList(words, "kept")])).firstSeq).toBe(2);
  });

  test("[A4] a parent may come earlier in the same transaction", async () => {
    await storage.commit([insertEntry(entry("a")), insertEntry(entry("b", "a"))]);

    expect((await storage.scanBranch({ start: "b" })).map(({ id }) => id)).toEqual(["b", "a"]);
  });

  test("[A5] delete then append makes a fresh list; deleting nothing is a no-op", async () => {
    await storage.commit([appendList(words, "old"), deleteList(list("test.none"))]);
    await storage.commit([deleteList(words), appendList(words, "new")]);

    expect(await storage.readList(words)).toEqual([{ seq: 4, value: "new" }]);
  });

  test("[A5] an element keeps its value whatever happens to the object that was given", async () => {
    const boxes = list<{ n: number }>("test.boxes");
    const box = { n: 1 };
    await storage.commit([appendList(boxes, box)]);
    box.n = 2;
    const [element] = await storage.readList(boxes);

    expect(element?.value).toEqual({ n: 1 });
    expect(() => {
      if (element !== undefined) element.value.n = 3;
    }).toThrow(TypeError);
  });

  test("[A6] pages by exclusive cursor in both orders", async () => {
    const { seqs } = await storage.commit(["a", "b", "c"].map((word) => appendList(words, word)));
    const [first = 0, , third = 0] = seqs;
    const read = async (options: Parameters<typeof storage.readList>[1]) =>
      (await storage.readList(words, options)).map((element) => element.value);

    expect(await read({ cursor: { seq: first } })).toEqual(["b", "c"]);
    expect(await read({ order: "desc", cursor: { seq: third } })).toEqual(["b", "a"]);
    expect(await read({ order: "desc", limit: 1 })).toEqual(["c"]);
  });

  test("[A6] default page 1,000, clamp at 10,000", async () => {
    await storage.commit(Array.from({ length: 10_500 }, () => appendList(words, "w")));

    expect(await storage.readList(words)).toHaveLength(1_000);
    expect(await storage.readList(words, { limit: 99_999 })).toHaveLength(10_000);
  });

  test.each([0, -1, 1.5, Number.NaN, 2 ** 53])("[A6] limit %s is a TypeError", async (limit) => {
    await expect(storage.readList(words, { limit })).rejects.toThrow(TypeError);
  });

  test("[A6] absent and empty lists read as []", async () => {
    expect(await storage.readList(words)).toEqual([]);
    await storage.commit([appendList(words, "a"), deleteList(words)]);
    expect(await storage.readList(words)).toEqual([]);
  });

  test("[A7] scans one namespace by key prefix in code-point order", async () => {
    const keys = ["k\u{10000}", "k\uffff", "k", "ka", "other"];
    await storage.commit([...keys.map((key) => setValue(value("s", key), 1)), setValue(value("t", "k"), 1)]);
    const found = await storage.scanValues(value("s", "k"));

    expect(found.map(({ address }) => address.key)).toEqual(["k", "ka", "k\uffff", "k\u{10000}"]);
  });

  test("[A8] keeps what JSON keeps: no undefined members, no minus zero, half surrogates and __proto__", async () => {
    const odd = JSON.parse('{"__proto__": {"x": 1}, "half": "\\ud83d"}');
    await storage.commit([setValue(value("v"), { ...odd, gone: undefined, zero: -0 })]);
    const stored = (await storage.getValue(value<Record<string, unknown>>("v")))?.value ?? {};

    expect(Object.keys(stored).sort()).toEqual(["__proto__", "half", "zero"]);
    expect(Object.is(stored.zero, 0)).toBe(true);
    expect(stored.half).toBe("\ud83d");
  });

  test("[A12] close stops admission and is idempotent", async () => {
    await Promise.all([storage.close(), storage.close()]);

    await expect(storage.commit([])).rejects.toThrow(StorageClosed);
    await expect(storage.getValue(value("v"))).rejects.toThrow(StorageClosed);
  });
});
