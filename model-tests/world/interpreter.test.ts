/**
 * The second reading of the transactions, which stores are compared with: it agrees with a sound one
 * and catches others.
 */
import type { AssistantMessage } from "@earendil-works/pi-ai";
import { describe, expect, test } from "vitest";
import {
  appendList,
  type CommitResult,
  deleteList,
  deleteValue,
  type Entry,
  insertEntry,
  insertUsage,
  type ListElement,
  list,
  MemoryStorage,
  type StoredValue,
  setValue,
  type UsageRow,
  type Value,
  type ValueList,
  value,
  type Write,
} from "../../src/index.ts";
import { Interpreter } from "./interpreter.ts";
import { compareStore } from "./read-back.ts";
import { RequestScript } from "./script.ts";

const note = value<string>("app.note");
const numbers = list<number>("app.numbers");
const finished = new RequestScript(1, 0).end("stop") as { message: AssistantMessage };
const entry = (id: string, parentId: string | null = null): Write =>
  insertEntry({ id, parentId, type: "message", message: finished.message });
const usage = (id: string): Write => insertUsage({ id, usage: finished.message.usage, adjustment: false });

/** Let transactions land on a store as the world does: replay each, then compare. */
async function replay(store: MemoryStorage, ...transactions: Write[][]): Promise<Interpreter> {
  const durable = new Interpreter();
  for (const writes of transactions) {
    durable.apply(writes, await store.commit(writes));
    await compareStore(store, durable, writes);
  }
  return durable;
}

/** A store that commits something else than it was given, and still answers one number a write. */
class Distorting extends MemoryStorage {
  readonly #distort: (writes: Write[]) => Write[];
  constructor(distort: (writes: Write[]) => Write[]) {
    super({ now: () => 0 });
    this.#distort = distort;
  }
  override async commit(writes: Write[]): Promise<CommitResult> {
    const result = await super.commit(this.#distort(writes));
    return { ...result, seqs: writes.map((_, at) => result.firstSeq + at) };
  }
}

/** A store that answers other numbers than it used. */
class Misnumbering extends MemoryStorage {
  readonly #renumber: (seqs: number[]) => number[];
  constructor(renumber: (seqs: number[]) => number[]) {
    super({ now: () => 0 });
    this.#renumber = renumber;
  }
  override async commit(writes: Write[]): Promise<CommitResult> {
    const result = await super.commit(writes);
    return { ...result, seqs: this.#renumber(result.seqs) };
  }
}

/** A store that swallows its own refusals. */
class Lax extends MemoryStorage {
  #last = 0;
  override async commit(writes: Write[]): Promise<CommitResult> {
    try {
      const result = await super.commit(writes);
      this.#last = result.seqs.at(-1) ?? this.#last;
      return result;
    } catch {
      const seqs = writes.map(() => ++this.#last);
      return { firstSeq: seqs[0] ?? 0, seqs, timestamp: 0, stats: await this.getStats() };
    }
  }
}

class Misreading extends MemoryStorage {
  override async readList<T>(address: ValueList<T>): Promise<ListElement<T>[]> {
    return (await super.readList(address)).reverse();
  }
}
class ShortPages extends MemoryStorage {
  override async readList<T>(address: ValueList<T>): Promise<ListElement<T>[]> {
    return await super.readList(address, { limit: 1 });
  }
}
class OtherValues extends MemoryStorage {
  override async getValue<T>(address: Value<T>): Promise<StoredValue<T> | undefined> {
    const stored = await super.getValue(address);
    return stored && { ...stored, value: "other" as T };
  }
}
class OtherParents extends MemoryStorage {
  override async getEntries(ids: string[]): Promise<Map<string, Entry>> {
    const entries = await super.getEntries(ids);
    return new Map([...entries].map(([id, stored]) => [id, { ...stored, parentId: "other" }]));
  }
}
class OtherUsage extends MemoryStorage {
  override async scanUsage(...query: Parameters<MemoryStorage["scanUsage"]>): Promise<UsageRow[]> {
    return (await super.scanUsage(...query)).map((row) => ({ ...row, usage: { ...row.usage, totalTokens: 999 } }));
  }
}

const isDelete = (write: Write): boolean => "op" in write && write.op === "delete";

describe("a sound store", () => {
  test("[A3] [A4] [A5] agrees with the replayed transactions at every place", async () => {
    const durable = await replay(
      new MemoryStorage({ now: () => 0 }),
      [setValue(note, "one"), appendList(numbers, 1), appendList(numbers, 2)],
      [setValue(note, "two"), deleteList(numbers), appendList(numbers, 3), deleteList(list("app.absent"))],
      [entry("e1"), entry("e2", "e1"), usage("u1")],
      [deleteValue(note), appendList(numbers, 4)],
    );

    expect(durable.value("app.note", "")).toBeUndefined();
    expect(durable.list("app.numbers", "").map(({ element }) => element.value)).toEqual([3, 4]);
    expect(durable.listKeys("app.numbers")).toEqual([""]);
    expect(durable.entries.map(({ id }) => id)).toEqual(["e1", "e2"]);
    expect(durable.usage.map(({ id }) => id)).toEqual(["u1"]);
  });

  test("[A3] may leave gaps between its numbers", async () => {
    const gappy = new Misnumbering((seqs) => seqs.map((seq) => seq * 10));

    await expect(replay(gappy, [setValue(note, "one")], [setValue(note, "two")])).resolves.toBeDefined();
  });

  test("keeps what was written apart from whoever wrote it", async () => {
    const written = { deep: [1] };
    const place = value<typeof written>("app.deep");
    const durable = await replay(new MemoryStorage({ now: () => 0 }), [setValue(place, written)]);

    written.deep.push(2);

    expect(durable.value("app.deep", "")).toEqual({ deep: [1] });
  });
});

describe("a store that misbehaves is caught", () => {
  const twoNotes: Write[] = [setValue(note, "one"), setValue(note, "two")];
  const cases: readonly (readonly [string, MemoryStorage, Write[][], RegExp])[] = [
    ["[A3] a number is missing", new Misnumbering((seqs) => seqs.slice(1)), [twoNotes], /^A3: .*2 writes got 1/],
    ["[A3] numbers do not increase", new Misnumbering((seqs) => seqs.reverse()), [twoNotes], /^A3: .* 1 .* 2$/],
    ["[A3] a number is used again", new Misnumbering((s) => s.map(() => 1)), twoNotes.map((write) => [write]), /^A3/],
    ["[A3] a write is lost", new Distorting((w) => w.slice(0, -1)), [[...twoNotes, appendList(numbers, 1)]], /list/],
    ["[A3] writes are reordered", new Distorting((writes) => [...writes].reverse()), [twoNotes], /value app.note/],
    ["[A4] a second row with one id", new Lax({ now: () => 0 }), [[entry("e1")], [usage("e1")]], /^A4: .* second row/],
    [
      "[A4] an entry without its parent",
      new Lax({ now: () => 0 }),
      [[entry("e2", "e1")]],
      /^A4: .* without its parent/,
    ],
    ["[A4] an entry under another parent", new OtherParents({ now: () => 0 }), [[entry("e1")]], /parent of entry e1/],
    ["[A4] another usage", new OtherUsage({ now: () => 0 }), [[usage("u1")]], /usage u1/],
    [
      "[A5] an append is done twice",
      new Distorting((w) => [...w, ...w]),
      [[appendList(numbers, 1)]],
      /2 elements, not 1/,
    ],
    [
      "[A5] a deleted list lives on",
      new Distorting((writes) => writes.filter((write) => !isDelete(write))),
      [[appendList(numbers, 1)], [deleteList(numbers), appendList(numbers, 2)]],
      /2 elements, not 1/,
    ],
    [
      "[A5] a deleted value lives on",
      new Distorting((writes) => writes.map((write) => (isDelete(write) ? setValue(note, "kept") : write))),
      [[deleteValue(note)]],
      /value app.note/,
    ],
    [
      "[A6] a list is read backwards",
      new Misreading({ now: () => 0 }),
      [[1, 2].map((n) => appendList(numbers, n))],
      /list/,
    ],
    [
      "[A6] a page is too short",
      new ShortPages({ now: () => 0 }),
      [[1, 2].map((n) => appendList(numbers, n))],
      /1 elements/,
    ],
    ["[A8] another value is read", new OtherValues({ now: () => 0 }), [[setValue(note, "one")]], /value app.note/],
  ];

  test.each(cases)("%s", async (_name, store, transactions, complaint) => {
    await expect(replay(store, ...transactions)).rejects.toThrow(complaint);
  });
});
