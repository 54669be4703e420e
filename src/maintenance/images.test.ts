/** Images of sessions, and sessions made from images (L2). */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { value } from "../addresses/address.ts";
import { SessionExists, SessionLocked, StorageClosed, StorageFailed, StorageRejected } from "../errors.ts";
import type { SessionImage, Survivor } from "../storage/contract/image.ts";
import { appendList, deleteList, setValue, type Write } from "../storage/contract/writes.ts";
import { nodeFiles } from "../storage/files/node-files.ts";
import { linesOf, newJsonlSession } from "../storage/jsonl/import.ts";
import { note, usage, words } from "../testing/jsonl/sessions.ts";
import { diskError, UnreliableDisk } from "../testing/jsonl/unreliable-disk.ts";
import {
  commitAll,
  everythingIn,
  foldersOfTests,
  longSession,
  survivorsOf,
  ticking,
} from "../testing/maintenance/new-sessions.ts";
import { fileStores, type Source, storeNamed, stores } from "../testing/storage/stores.ts";

const { newFolder } = foldersOfTests();

describe.each(stores)("the image of a $name session", ({ openIn }) => {
  test("[L2] is one moment: what is committed while it is read changes nothing of it", async () => {
    const source = await openIn(newFolder(), ticking());
    await commitAll(source, longSession());
    const expected = await everythingIn(source);
    await source.withImage(async (image) => {
      const pages = image.pages()[Symbol.asyncIterator]();
      const first = (await pages.next()).value as Survivor[];
      await source.commit([
        deleteList(words),
        appendList(words, "new"),
        setValue(value<number>("test.new"), 1),
        note("late"),
      ]);
      const rest = await survivorsOf({
        nextSeq: image.nextSeq,
        pages: () => ({ [Symbol.asyncIterator]: () => pages }),
      });
      expect({ nextSeq: image.nextSeq, survivors: [...first, ...rest] }).toEqual(expected);
      expect(await survivorsOf(image)).toEqual(expected.survivors);
    });
    await source.close();
  });

  test("[L2][A8] holds what was handed over before it, and nothing that was handed over after it", async () => {
    const source = await openIn(newFolder(), ticking());
    const before = source.commit([appendList(words, "before")]);
    const image = everythingIn(source);
    const after = source.commit([appendList(words, "after")]);
    await Promise.all([before, after]);
    expect((await image).survivors.map(({ write }) => "value" in write && write.value)).toEqual(["before"]);
    await source.close();
  });

  test("[L2][A12] of a closed store is refused", async () => {
    const source = await openIn(newFolder(), ticking());
    await source.close();

    await expect(everythingIn(source)).rejects.toThrow(StorageClosed);
  });
});

/** One write a page. */
const imageOf = (...writes: Write[]): SessionImage => ({
  nextSeq: writes.length + 1,
  pages: async function* () {
    for (const [index, write] of writes.entries()) yield [{ seq: index + 1, timestamp: 1, write } as Survivor];
  },
});
const notes = (seqs: readonly number[]): SessionImage => ({
  nextSeq: 1,
  pages: async function* () {
    for (const seq of seqs) yield [{ seq, timestamp: 1, write: note(`n${seq}`) as Survivor["write"] }];
  },
});

describe("the image of an SQLite session", () => {
  test("[L2] ends when its use does", async () => {
    const source = await storeNamed("SQLite").openIn(newFolder(), ticking());
    await source.commit([appendList(words, "kept")]);
    const image = await source.withImage(async (held) => held);
    await expect(survivorsOf(image)).rejects.toThrow(StorageFailed);
    expect((await everythingIn(source)).survivors).toHaveLength(1);
    await source.close();
  });

  test("[A12] ends when the store is closed", async () => {
    const source = await storeNamed("SQLite").openIn(newFolder(), ticking());
    const reading = source.withImage(async (image) => {
      await source.close();
      return survivorsOf(image);
    });

    await expect(reading).rejects.toThrow(StorageClosed);
  });
});

describe.each(stores)("a new $name session", (target) => {
  const make = (image: SessionImage, folder = newFolder()): Promise<Source> => target.newIn(folder, ticking())(image);

  test("[L2] is refused without a trace when its source fails in the middle, and can be made afterwards", async () => {
    const folder = newFolder();
    const failing: SessionImage = {
      nextSeq: 9,
      async *pages() {
        yield* notes([1, 2]).pages();
        throw new Error("the source is gone");
      },
    };
    await expect(make(failing, folder)).rejects.toThrow("the source is gone");
    expect(readdirSync(folder)).toEqual([]);
    const session = await make(notes([1]), folder);
    expect((await everythingIn(session)).survivors).toHaveLength(1);
    await session.close();
  });

  test.each([
    ["an entry id twice", "duplicate_id", imageOf(note("a"), note("a"))],
    ["a usage id twice", "duplicate_id", imageOf(usage("a"), usage("a"))],
    ["a usage id that is an entry id", "duplicate_id", imageOf(note("a"), usage("a"))],
    ["a missing parent", "missing_parent", imageOf(note("a", "none"))],
    ["a usage row for a parent", "missing_parent", imageOf(usage("a"), note("b", "a"))],
    ["a number twice", "stale_sequence", notes([2, 2])],
    ["numbers that go down", "stale_sequence", notes([2, 1])],
  ])("[A4] refuses an image with %s", async (_what, reason, image) => {
    const folder = newFolder();
    await expect(make(image, folder)).rejects.toMatchObject({ constructor: StorageRejected, reason });
    await (await make(notes([1]), folder)).close();
  });

  test("[A10] gives no number twice, even when the image says a next one that is taken", async () => {
    const session = await make(notes([5, 7]));
    expect((await session.commit([note("next")])).firstSeq).toBe(8);
    await session.close();
  });
});

const unreadable: SessionImage = {
  nextSeq: 1,
  pages: () => {
    throw new Error("This image was not to be read");
  },
};

describe.each(fileStores)("a new $name session in a file", (kind) => {
  test("[L2] is not made where there is one, which stays as it is", async () => {
    const folder = newFolder();
    const make = kind.newIn(folder, ticking());
    await (await make(notes([3]))).close();
    await expect(make(unreadable)).rejects.toThrow(SessionExists);
    const again = await kind.openIn(folder, ticking());
    expect((await everythingIn(again)).survivors.map(({ seq }) => seq)).toEqual([3]);
    await again.close();
  });

  test("[L2] takes the place of an empty file", async () => {
    const folder = newFolder();
    writeFileSync(join(folder, "session"), "");
    const session = await kind.newIn(folder, ticking())(notes([3]));
    expect((await everythingIn(session)).survivors).toHaveLength(1);
    await session.close();
  });

  test("[L2] is made by one call at a time", async () => {
    const folder = newFolder();
    const first = kind.newIn(
      folder,
      ticking(),
    )({
      nextSeq: 1,
      pages: async function* () {
        await expect(kind.newIn(folder, ticking())(notes([1]))).rejects.toThrow(SessionLocked);
        yield* notes([3]).pages();
      },
    });
    const session = await first;
    expect((await everythingIn(session)).survivors.map(({ seq }) => seq)).toEqual([3]);
    await session.close();
  });

  test("[L2] whose folder does not exist is refused as a failure of the storage", async () => {
    await expect(kind.newIn(join(newFolder(), "none"), ticking())(notes([1]))).rejects.toThrow(StorageFailed);
  });
});

test.each(["-wal", "-journal"])("[L2] a new SQLite session is not made beside the %s of another", async (suffix) => {
  const folder = newFolder();
  writeFileSync(join(folder, `session${suffix}`), "left by another");

  await expect(storeNamed("SQLite").newIn(folder, ticking())(notes([1]))).rejects.toThrow(SessionExists);
  expect(readdirSync(folder)).toEqual([`session${suffix}`]);
});

test("[A13] a disk that fails under a new JSONL session is told, and leaves nothing", async () => {
  const disk = new UnreliableDisk();
  disk.intercept = ({ operation }) => {
    if (operation === "append") throw diskError("ENOSPC");
    return undefined;
  };

  await expect(newJsonlSession("s", { files: disk })(notes([1]))).rejects.toThrow(StorageFailed);
  expect(disk.names()).toEqual([]);
});

test("[A13] a folder that cannot be synced under a new SQLite session is told", async () => {
  const sync = vi.spyOn(nodeFiles, "syncFolder").mockRejectedValueOnce(diskError("EIO"));
  await expect(storeNamed("SQLite").newIn(newFolder(), ticking())(notes([1]))).rejects.toThrow(StorageFailed);
  sync.mockRestore();
});

test("[A9] a write that is longer than a line may be is refused", () => {
  const page = [{ seq: 1, timestamp: 1, write: appendList(words, "é".repeat(50)) }];

  expect(() => [...linesOf(page, 150)]).toThrow(StorageRejected);
  expect([...linesOf(page, 200)]).toHaveLength(1);
});
