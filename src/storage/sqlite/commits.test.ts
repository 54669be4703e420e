/** When an SQLite session commits, and what together (C3). */
import { closeSync, openSync, writeSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Database } from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { list } from "../../addresses/address.ts";
import type { NewEntry } from "../../durable/entries.ts";
import { SessionLocked, StorageFailed, StorageRejected } from "../../errors.ts";
import { sessionFolder, spiedDatabase } from "../../testing/sqlite/sessions.ts";
import { appendList, insertEntry, type Write } from "../contract/writes.ts";
import { CommitQueue } from "./commit-queue.ts";
import { encodeTransaction } from "./encode.ts";
import { LogSync } from "./log-sync.ts";
import { SqliteReader } from "./reader.ts";
import { SqliteStorage } from "./sqlite.ts";
import { SqliteWriter } from "./writer.ts";

const words = list<string>("test.words");
const note = (id: string): NewEntry => ({ id, parentId: null, type: "custom", customType: "note" });
const append = (word: string) => [appendList(words, word)];

let session: ReturnType<typeof sessionFolder>;
beforeEach(() => {
  session = sessionFolder();
});
afterEach(() => session.remove());

describe("commits of an SQLite session", () => {
  let database: Database;
  let statements: string[];
  let writer: SqliteWriter;
  let queue: CommitQueue;

  beforeEach(() => {
    ({ database, statements } = spiedDatabase(session.path));
    writer = new SqliteWriter(database);
    queue = new CommitQueue({
      commitAll: (transactions) => writer.commitAll(transactions),
      failed: (cause) => writer.fail(cause),
    });
    statements.length = 0;
  });

  afterEach(() => database.close());

  const commit = (writes: Write[]) => queue.admit(encodeTransaction(writes, 0));
  const storedWords = () => new SqliteReader(database).page(words, {}).map(({ value }) => value);
  const timesRun = (start: string) => statements.filter((statement) => statement.startsWith(start)).length;

  test("[C3] those of one turn of the event loop are one physical commit", async () => {
    const bursts = ["a", "b", "c"].map(async (word) => {
      await commit(append(word));
    });
    await Promise.resolve();
    await Promise.all([...bursts, commit(append("d"))]);

    expect(storedWords()).toEqual(["a", "b", "c", "d"]);
    expect([timesRun("BEGIN IMMEDIATE"), timesRun("COMMIT")]).toEqual([1, 1]);
    expect(timesRun("SAVEPOINT")).toBe(4);
  });

  test("[C3] one alone waits for the end of the turn and for no timer", async () => {
    vi.useFakeTimers();
    try {
      await commit(append("a"));
      await commit(append("b"));
    } finally {
      vi.useRealTimers();
    }

    expect(timesRun("COMMIT")).toBe(2);
  });

  test("[A4] refused ones alone write nothing", async () => {
    await commit([insertEntry(note("a"))]);
    statements.length = 0;

    await expect(commit([insertEntry(note("a"))])).rejects.toThrow(StorageRejected);
    expect([timesRun("INSERT"), timesRun("UPDATE")]).toEqual([0, 0]);
  });

  test("[A3] one that the tables refuse half-way rolls back alone and uses no number", async () => {
    database.function("refuse", () => {
      throw new StorageRejected("too_large", "refused");
    });
    database.exec(`CREATE TRIGGER refusing BEFORE INSERT ON list_elements WHEN NEW.value = '"refused"'
      BEGIN SELECT refuse(); END`);
    const outcomes = await Promise.allSettled([
      commit(append("a")),
      commit([...append("lost"), insertEntry(note("lost")), ...append("refused")]),
      commit([...append("b"), insertEntry(note("lost"))]),
    ]);

    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(outcomes[2]).toMatchObject({ value: { seqs: [2, 3], stats: { messageCount: 0 } } });
    expect(storedWords()).toEqual(["a", "b"]);
  });

  test("[A13] a failure half-way takes back the whole group", async () => {
    database.exec("DROP TABLE list_elements");
    const outcomes = await Promise.allSettled([commit([insertEntry(note("a"))]), commit(append("a"))]);

    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(database.prepare("SELECT count(*) FROM entries").pluck().get()).toBe(0);
  });

  test("[A13] a full disk fails its whole group and every later commit; reads see the state before", async () => {
    await commit(append("a"));
    const pages = database.pragma("page_count", { simple: true });
    database.pragma(`max_page_count = ${pages}`);
    const outcomes = await Promise.allSettled([commit(append("b")), commit(append("x".repeat(100_000)))]);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: { cause: { code: "SQLITE_FULL" } } });
    database.pragma("max_page_count = 100000");
    await expect(commit(append("c"))).rejects.toThrow(StorageFailed);
    expect(storedWords()).toEqual(["a"]);
    database.close();
    const reopened = await SqliteStorage.open(session.path);
    expect(await reopened.readList(words)).toHaveLength(1);
    expect((await reopened.commit(append("d"))).firstSeq).toBe(2);
    await reopened.close();
  });
});

describe("[A3] commits of an SQLite session with power", () => {
  /** A session whose syncs the test ends. */
  async function open() {
    const syncs: { end(): void; fail(cause: Error): void }[] = [];
    vi.spyOn(LogSync.prototype, "sync").mockImplementation(
      () => new Promise((end, fail) => void syncs.push({ end, fail })),
    );
    const storage = await SqliteStorage.open(session.path, { durability: "power" });
    const told: string[] = [];
    const tell = (what: string, work: Promise<unknown>) =>
      void work.then(
        () => told.push(what),
        (error: unknown) => told.push(`${what}: ${(error as Error).name}`),
      );
    const next = (count: number) => vi.waitUntil(() => syncs.length === count);
    return { storage, syncs, told, tell, next };
  }

  afterEach(() => vi.restoreAllMocks());

  test("are replied when they are synced, and so is a read of them; the event loop goes on meanwhile", async () => {
    const { storage, syncs, told, tell, next } = await open();
    tell("a", storage.commit(append("a")));
    tell("read", storage.readList(words));
    await next(1);
    await nextTurn();
    expect(told).toEqual([]);
    syncs[0]?.end();
    await nextTurn();
    expect(told).toEqual(["a", "read"]);
    await storage.close();
  });

  test("that come during a sync are committed and synced together", async () => {
    const { storage, syncs, told, tell, next } = await open();
    tell("a", storage.commit(append("a")));
    await next(1);
    for (const word of ["b", "c", "d"]) {
      tell(word, storage.commit(append(word)));
      await nextTurn();
    }
    syncs[0]?.end();
    await next(2);
    expect(told).toEqual(["a"]);
    syncs[1]?.end();
    await nextTurn();
    expect(told).toEqual(["a", "b", "c", "d"]);
    expect(syncs).toHaveLength(2);
    await storage.close();
  });

  test("[A13] are refused from a failed sync on, which is not tried again", async () => {
    const { storage, syncs, told, tell, next } = await open();
    tell("a", storage.commit(append("a")));
    await next(1);
    tell("b", storage.commit(append("b")));
    tell("read", storage.readList(words));
    syncs[0]?.fail(new Error("EIO"));
    await nextTurn();
    tell("c", storage.commit(append("c")));
    await storage.close();
    expect(told).toEqual(["a: StorageFailed", "b: StorageFailed", "read: StorageFailed", "c: StorageFailed"]);
    expect(syncs).toHaveLength(1);
  });

  test("[A12] are finished by a close, and left without an answer by a kill, also by one that overtakes a close", async () => {
    const { storage, told, tell, next } = await open();
    tell("a", storage.commit(append("a")));
    await next(1);
    const closed = storage.close();
    await nextTurn();
    await expect(SqliteStorage.open(session.path)).rejects.toThrow(SessionLocked);
    await storage.kill();
    await closed;
    expect(told).toEqual([]);
    await (await SqliteStorage.open(session.path)).close();
  });
});

describe("an SQLite session whose file is damaged", () => {
  test("[A13] is read as far as it goes, and takes no commit after that", async () => {
    const first = await SqliteStorage.open(session.path);
    await first.commit(Array.from({ length: 500 }, () => appendList(words, "x".repeat(500))));
    await first.close();
    const pageSize = 4096;
    // The tables are intact up to here; a list of this length goes on behind it.
    const file = openSync(session.path, "r+");
    writeSync(file, Buffer.alloc(40 * pageSize, 0xff), 0, 40 * pageSize, 20 * pageSize);
    closeSync(file);
    const storage = await SqliteStorage.open(session.path);
    expect(await storage.getStats()).toMatchObject({ messageCount: 0 });
    await expect(storage.readList(words)).rejects.toThrow(StorageFailed);
    await expect(storage.commit([])).rejects.toThrow(StorageFailed);
    await storage.close();
  });
});

describe("an SQLite session that is killed", () => {
  test("[A12] drops what was not committed, and never replies it", async () => {
    const storage = await SqliteStorage.open(session.path);
    await storage.commit(append("a"));
    const replied = vi.fn();
    storage.commit(append("lost")).then(replied, replied);
    await storage.kill();
    const reopened = await SqliteStorage.open(session.path);
    await reopened.commit(append("b"));
    expect(await reopened.readList(words)).toEqual([
      { seq: 1, value: "a" },
      { seq: 2, value: "b" },
    ]);
    expect(replied).not.toHaveBeenCalled();
    await reopened.close();
  });
});
