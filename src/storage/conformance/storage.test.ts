/** The contract of a store, case by case, on each store (section A). */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { list, value } from "../../addresses/address.ts";
import type { NewEntry } from "../../durable/entries.ts";
import { StorageClosed, StorageRejected } from "../../errors.ts";
import { stores, temporaryFolder } from "../../testing/storage/stores.ts";
import type { ListReadOptions } from "../contract/list-options.ts";
import type { BranchScan, Storage } from "../contract/storage.ts";
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

const words = list<string>("test.words");
const note = (id: string, parentId: string | null = null): NewEntry => ({
  id,
  parentId,
  type: "custom",
  customType: "note",
});
const user = (id: string, parentId: string | null = null): NewEntry => ({
  id,
  parentId,
  type: "message",
  message: { role: "user", content: id, timestamp: 1 },
});
const usage = (id: string, input = 0) => insertUsage({ id, usage: { ...zeroUsage(), input }, adjustment: false });
const withoutId = { parentId: null, type: "custom", customType: "note" } as unknown as NewEntry;
const unknownOp = { kind: "list", op: "insert", namespace: "test.words", key: "", value: 1 } as unknown as Write;
const nested = (levels: number): unknown => JSON.parse("[".repeat(levels) + "]".repeat(levels));
const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);

describe.each(stores)("the $name store", ({ openIn }) => {
  let storage: Storage;
  let folder: ReturnType<typeof temporaryFolder>;

  beforeEach(async () => {
    folder = temporaryFolder();
    let time = 0;
    storage = await openIn(folder.path, () => ++time);
  });

  afterEach(async () => {
    await storage.close();
    folder.remove();
  });

  describe("transactions", () => {
    test("[A3] number every write in order, over all kinds and transactions", async () => {
      const first = await storage.commit([
        insertEntry(user("a")),
        usage("u", 2),
        appendList(words, "x"),
        deleteValue(value("v")),
        deleteList(list("none")),
      ]);
      const second = await storage.commit([setValue(value<number>("v"), 1)]);

      expect(first).toMatchObject({ firstSeq: 1, seqs: [1, 2, 3, 4, 5], timestamp: 1 });
      expect(second).toMatchObject({ firstSeq: 6, seqs: [6], timestamp: 2 });
    });

    test("[A3] reply the totals as they are just after each", async () => {
      const [first, second] = await Promise.all([
        storage.commit([insertEntry(user("a")), usage("u", 0.1)]),
        storage.commit([insertEntry(note("b")), insertEntry(user("c")), usage("w", 0.2)]),
      ]);

      expect(first.stats).toMatchObject({ messageCount: 1, usage: { input: 0.1 } });
      expect(second.stats).toMatchObject({ messageCount: 2, usage: { input: 0.1 + 0.2 } });
      expect(await storage.getStats()).toEqual(second.stats);
    });

    test("[A3] without writes use no number", async () => {
      expect(await storage.commit([])).toMatchObject({ firstSeq: 1, seqs: [] });
      expect(await storage.commit([appendList(words, "x")])).toMatchObject({ firstSeq: 1 });
    });

    test.each([
      ["an entry id twice", "duplicate_id", [insertEntry(note("a"))]],
      ["a usage id that is an entry id", "duplicate_id", [usage("a")]],
      ["an entry id that is a usage id", "duplicate_id", [insertEntry(note("u"))]],
      ["the same new id twice", "duplicate_id", [insertEntry(note("b")), usage("b")]],
      ["a missing parent", "missing_parent", [insertEntry(note("b", "none"))]],
      ["a usage row as a parent", "missing_parent", [insertEntry(note("b", "u"))]],
      ["a parent that comes later", "missing_parent", [insertEntry(note("b", "c")), insertEntry(note("c"))]],
      ["content that is no JSON", "not_json", [setValue(value("v"), new Date(0))]],
      ["an undefined value", "not_json", [setValue(value("v"), undefined)]],
      ["content that nests too deep", "too_deep", [setValue(value("v"), nested(2_000))]],
      ["a malformed write before ids", "malformed_write", [insertEntry(note("a")), insertEntry(withoutId)]],
      ["an unknown op", "malformed_write", [unknownOp]],
      ["ids before content", "duplicate_id", [setValue(value("v"), Number.NaN), insertEntry(note("a"))]],
    ])("[A4] with %s are refused (%s), change nothing and use no number", async (_what, reason, writes) => {
      await storage.commit([insertEntry(note("a")), usage("u"), setValue(value("kept"), 1), appendList(words, "kept")]);
      const transaction = [
        appendList(words, "lost"),
        deleteValue(value("kept")),
        insertEntry(user("lost")),
        usage("gone", 9),
        ...writes,
      ];
      await expect(storage.commit(transaction)).rejects.toThrow(StorageRejected);
      await expect(storage.commit(transaction)).rejects.toMatchObject({ reason });
      expect(await storage.readList(words)).toEqual([{ seq: 4, value: "kept" }]);
      expect(await storage.getValue(value("kept"))).toMatchObject({ seq: 3, value: 1 });
      expect(idsOf(await storage.scanEntries({}))).toEqual(["a"]);
      expect(await storage.getStats()).toMatchObject({ messageCount: 0, usage: { input: 0 } });
      expect((await storage.commit([insertEntry(note("lost"))])).firstSeq).toBe(5);
    });

    test("[A4] refused between others leave these as they are", async () => {
      const outcomes = await Promise.allSettled([
        storage.commit([insertEntry(note("a"))]),
        storage.commit([appendList(words, "lost"), insertEntry(note("a"))]),
        storage.commit([insertEntry(note("b", "a"))]),
        storage.commit([insertEntry(note("c", "lost"))]),
        storage.commit([appendList(words, "kept")]),
      ]);

      expect(outcomes.map(({ status }) => status === "fulfilled")).toEqual([true, false, true, false, true]);
      expect(await storage.readList(words)).toEqual([{ seq: 3, value: "kept" }]);
    });

    test("[A4] may hold a parent before its child", async () => {
      await storage.commit([insertEntry(note("a")), insertEntry(note("b", "a"))]);

      expect(idsOf(await storage.scanBranch({ start: "b" }))).toEqual(["b", "a"]);
    });

    test("[A8] are replied in order", async () => {
      const replies: string[] = [];
      const commit = async (word: string) => {
        await storage.commit([appendList(words, word)]);
        replies.push(word);
      };
      await Promise.all(["a", "b", "c"].map(commit));

      expect(replies).toEqual(["a", "b", "c"]);
    });
  });

  describe("lists", () => {
    test("[A5] deleted and appended to in one transaction are fresh; deleting nothing is a no-op", async () => {
      await storage.commit([appendList(words, "old"), deleteList(list("test.none"))]);
      await storage.commit([deleteList(words), appendList(words, "new")]);

      expect(await storage.readList(words)).toEqual([{ seq: 4, value: "new" }]);
    });

    test("[A5] keep the element as it was when handed over", async () => {
      const boxes = list<{ n: number }>("test.boxes");
      const box = { n: 1 };
      const committed = storage.commit([appendList(boxes, box)]);
      box.n = 2;
      await committed;

      expect((await storage.readList(boxes)).map((element) => element.value)).toEqual([{ n: 1 }]);
    });

    test("[A6] page by exclusive cursor in both orders", async () => {
      await storage.commit([
        ...["a", "b"].map((word) => appendList(words, word)),
        appendList(list("test.words", "other"), "between"),
        appendList(words, "c"),
      ]);
      const read = async (options: ListReadOptions) =>
        (await storage.readList(words, options)).map((element) => element.value);

      expect(await read({})).toEqual(["a", "b", "c"]);
      expect(await read({ cursor: { seq: 1 } })).toEqual(["b", "c"]);
      expect(await read({ cursor: { seq: 2 }, limit: 1 })).toEqual(["c"]);
      expect(await read({ cursor: { seq: 4 } })).toEqual([]);
      expect(await read({ order: "desc", cursor: { seq: 4 } })).toEqual(["b", "a"]);
      expect(await read({ order: "desc", cursor: { seq: 1 } })).toEqual([]);
      expect(await read({ order: "desc", limit: 2 })).toEqual(["c", "b"]);
    });

    test("[A6] give 1,000 elements by default and never more than 10,000", async () => {
      await storage.commit(Array.from({ length: 10_500 }, () => appendList(words, "w")));

      expect(await storage.readList(words)).toHaveLength(1_000);
      expect(await storage.readList(words, { limit: 10_001 })).toHaveLength(10_000);
      expect(await storage.readList(words, { limit: 99_999, order: "desc" })).toHaveLength(10_000);
    });

    test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])(
      "[A6] refuse limit %s with a TypeError",
      async (limit) => {
        await expect(storage.readList(words, { limit })).rejects.toThrow(TypeError);
      },
    );

    test("[A6] read as [] when absent and when empty", async () => {
      expect(await storage.readList(words)).toEqual([]);
      await storage.commit([appendList(words, "a"), deleteList(words)]);
      expect(await storage.readList(words)).toEqual([]);
    });
  });

  describe("values", () => {
    test("[A7] scan one namespace by key prefix, in code-point order", async () => {
      const keys = ["k\u{10000}", "k\uffff", "k", "ka", "k\u{10ffff}z", "j", "l", "K", "%", "ak"];
      await storage.commit([
        ...keys.map((key) => setValue(value("s", key), 1)),
        ...["t", "s.t", "r"].map((namespace) => setValue(value(namespace, "k"), 1)),
      ]);
      const scan = async (prefix: string) =>
        (await storage.scanValues(value("s", prefix))).map(({ address }) => address.key);

      expect(await scan("k")).toEqual(["k", "ka", "k\uffff", "k\u{10000}", "k\u{10ffff}z"]);
      expect(await scan("k\u{10ffff}")).toEqual(["k\u{10ffff}z"]);
      expect(await scan("")).toEqual(["%", "K", "ak", "j", "k", "ka", "k\uffff", "k\u{10000}", "k\u{10ffff}z", "l"]);
      expect(await scan("kaa")).toEqual([]);
    });

    test("[A3] replace with a new number, and are gone when deleted", async () => {
      const place = value<number>("v");
      await storage.commit([setValue(place, 1), setValue(place, 2)]);
      expect(await storage.getValue(place)).toEqual({ address: place, value: 2, seq: 2 });
      await storage.commit([deleteValue(place)]);
      expect(await storage.getValue(place)).toBeUndefined();
      expect(await storage.scanValues(place)).toEqual([]);
    });

    test("[A1] and lists at equal addresses are two places", async () => {
      await storage.commit([setValue(value("same", "k"), 1), appendList(list("same", "k"), 2)]);
      await storage.commit([deleteList(list("same", "k"))]);

      expect((await storage.getValue(value("same", "k")))?.value).toBe(1);
    });
  });

  describe("content", () => {
    test("[A8] keeps what JSON keeps: no undefined members, no minus zero, half surrogates and __proto__", async () => {
      const odd = JSON.parse('{"__proto__": {"x": 1}, "half": "\\ud83d", "\\udc00": "\\u0000", "line": "\\u2028"}');
      await storage.commit([setValue(value("v"), { ...odd, gone: undefined, zero: -0 })]);
      const stored = (await storage.getValue(value<Record<string, unknown>>("v")))?.value ?? {};

      expect(Object.keys(stored).sort()).toEqual(["__proto__", "half", "line", "zero", "\udc00"]);
      expect(stored).toMatchObject({ half: "\ud83d", "\udc00": "\u0000", line: "\u2028" });
      expect(Object.is(stored.zero, 0)).toBe(true);
      expect(Object.getPrototypeOf(stored)).toBe(Object.prototype);
    });

    test("[A8] keeps ids and types of any text apart", async () => {
      const ids = ["\ud83d", "\ud83e", "\ufffd", "x\u0000", "x", "null", '"x"', ""];
      await storage.commit(
        ids.map((id, index) => insertEntry({ ...note(id, ids[index - 1] ?? null), type: "custom", customType: id })),
      );

      expect([...(await storage.getEntries(ids)).keys()]).toEqual(ids);
      expect(idsOf(await storage.scanBranch({ start: "", order: "oldestFirst" }))).toEqual(ids);
      expect(idsOf(await storage.scanEntries({ customType: "\ud83e" }))).toEqual(["\ud83e"]);
    });

    test("[J4] that was read cannot be changed", async () => {
      await storage.commit([insertEntry(user("a")), usage("u"), setValue(value("v"), { deep: [1] })]);
      const entry = (await storage.getEntries(["a"])).get("a");
      const [row] = await storage.scanUsage({});
      const stored = await storage.getValue(value<{ deep: number[] }>("v"));
      const stats = await storage.getStats();
      for (const held of [entry, row, row?.usage, stored?.value.deep, stats, stats.usage]) {
        expect(Object.isFrozen(held)).toBe(true);
      }
    });

    test("[A8] is seen by a read that follows the commit", async () => {
      const committed = storage.commit([appendList(words, "a"), usage("u", 3)]);
      expect(await storage.readList(words)).toHaveLength(1);
      expect((await storage.getStats()).usage.input).toBe(3);
      await committed;
    });
  });

  describe("entries and usage rows", () => {
    beforeEach(async () => {
      await storage.commit([
        insertEntry(user("root")),
        insertEntry(note("n1", "root")),
        usage("u1"),
        insertEntry(user("m1", "n1")),
        insertEntry(note("side", "root")),
        usage("u2"),
        insertEntry(user("m2", "m1")),
      ]);
    });

    test("[A8] add up to totals beyond all numbers without harm", async () => {
      await storage.commit([usage("v", 1e308)]);

      expect((await storage.commit([usage("w", 1e308)])).stats.usage.input).toBe(Number.POSITIVE_INFINITY);
      expect((await storage.commit([usage("x", -1)])).stats).toEqual(await storage.getStats());
    });

    test("[A8] are found by id, each once, in the order asked", async () => {
      expect([...(await storage.getEntries(["m2", "none", "u1", "root", "m2"])).keys()]).toEqual(["m2", "root"]);
    });

    test.each([
      [{}, ["root", "n1", "m1", "side", "m2"]],
      [{ order: "desc" }, ["m2", "side", "m1", "n1", "root"]],
      [{ fromSeq: 2, toSeq: 5 }, ["n1", "m1", "side"]],
      [{ fromSeq: 3, toSeq: 3 }, []],
      [{ type: "message", order: "desc", limit: 2 }, ["m2", "m1"]],
      [{ customType: "note", limit: 1 }, ["n1"]],
      [{ limit: 0 }, []],
      [{ limit: -1 }, ["root", "n1", "m1", "side"]],
      [{ limit: 1.5 }, ["root"]],
    ] as const)("[A8] scan of entries by %j", async (query, expected) => {
      expect(idsOf(await storage.scanEntries(query))).toEqual(expected);
    });

    test.each([
      [{}, ["u1", "u2"]],
      [{ order: "desc", limit: 1 }, ["u2"]],
      [{ fromSeq: 4 }, ["u2"]],
      [{ toSeq: 5 }, ["u1"]],
    ] as const)("[A8] scan of usage by %j", async (query, expected) => {
      expect(idsOf(await storage.scanUsage(query))).toEqual(expected);
    });

    test.each([
      [{}, ["m2", "m1", "n1", "root"]],
      [{ order: "oldestFirst" }, ["root", "n1", "m1", "m2"]],
      [{ stopAtType: "custom" }, ["m2", "m1", "n1"]],
      [{ stopAtId: "m1", type: "custom" }, []],
      [{ order: "oldestFirst", stopAtId: "n1", type: "message" }, ["root"]],
      [{ customType: "note" }, ["n1"]],
      [{ cursor: { seq: 7 }, limit: 2 }, ["m1", "n1"]],
      [{ order: "oldestFirst", cursor: { seq: 1 }, limit: 1 }, ["n1"]],
    ] as [Omit<BranchScan, "start">, string[]][])("[A8] scan of a branch by %j", async (query, expected) => {
      expect(idsOf(await storage.scanBranch({ start: "m2", ...query }))).toEqual(expected);
      expect(idsOf(await storage.scanBranchStructure({ start: "m2", ...query }))).toEqual(expected);
    });

    test("[A8] a structure has no payload, an entry all of it", async () => {
      const structure = { id: "n1", parentId: "root", seq: 2, timestamp: 1, type: "custom", customType: "note" };
      expect(await storage.scanBranchStructure({ start: "n1", limit: 1 })).toEqual([structure]);
      const [message] = await storage.scanBranch({ start: "m2", limit: 1 });
      expect(message).toEqual({ ...user("m2", "m1"), seq: 7, timestamp: 1 });
    });

    test("[A8] a branch from an unknown entry is refused", async () => {
      await expect(storage.scanBranch({ start: "u1" })).rejects.toMatchObject({ reason: "missing_entry" });
      await expect(storage.scanBranchStructure({ start: "none" })).rejects.toMatchObject({ reason: "missing_entry" });
    });
  });

  test("[A12] close stops admission, lets admitted commits finish and is idempotent", async () => {
    const admitted = storage.commit([appendList(words, "a")]);
    await Promise.all([storage.close(), storage.close()]);
    expect((await admitted).seqs).toEqual([1]);
    const calls: (() => Promise<unknown>)[] = [
      () => storage.commit([]),
      () => storage.getEntries([]),
      () => storage.getValue(value("v")),
      () => storage.scanValues(value("v")),
      () => storage.readList(words),
      () => storage.scanBranch({ start: "a" }),
      () => storage.scanBranchStructure({ start: "a" }),
      () => storage.scanEntries({}),
      () => storage.scanUsage({}),
      () => storage.getStats(),
    ];
    for (const call of calls) await expect(call()).rejects.toThrow(StorageClosed);
  });
});
