/** Loss of power of an SQLite session (A13). */
import { readFileSync, writeFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { list } from "../../addresses/address.ts";
import { NotASession } from "../../errors.ts";
import { note, usage, words } from "../../testing/jsonl/sessions.ts";
import { wholeContentOf } from "../../testing/maintenance/whole-content.ts";
import { halfWritten } from "../../testing/sqlite/half-written.ts";
import { openWithHandle, sessionFolder } from "../../testing/sqlite/sessions.ts";
import type { Durability } from "../contract/storage.ts";
import { zeroUsage } from "../contract/usage-totals.ts";
import { appendList, deleteList, type Write } from "../contract/writes.ts";
import { MemoryStorage } from "../memory/memory.ts";
import { connectNew } from "./connect.ts";
import { LogSync } from "./log-sync.ts";
import { prepareChanges } from "./statements.ts";

const now = () => 7;

/** How many transactions come at once, and are one physical commit. The fourth brings the log into the file. */
const bursts = [1, 3, 1, 1, 2, 1];

/** Transaction number `index`. */
function transaction(index: number): Write[] {
  const other = list<string>("test.other");
  const writes: Write[] = [appendList(words, `word ${index}`)];
  if (index === 6) writes.push(note(`n${index}`), usage(`u${index}`));
  if (index === 4) writes.push(appendList(other, "x".repeat(6_000)));
  if (index === 7) writes.push(deleteList(other));
  return writes;
}

const blank = Buffer.alloc(4_096);
const beginsWith = (file: Buffer, other: Buffer) =>
  file.subarray(0, 100).equals(other.subarray(0, Math.min(file.length, 100)));

const empty = { nextSeq: 1, survivors: [], stats: { messageCount: 0, usage: zeroUsage() } };

/** The files of a session just after a physical commit was acknowledged. */
interface Image {
  readonly file: Buffer;
  readonly log: Buffer;
  readonly acknowledged: number;
}

/** What a loss of power may leave of a session. */
interface Left {
  readonly file: Buffer;
  readonly log: Buffer;
  /** How many transactions it must hold, and how many it may hold. */
  readonly least: number;
  readonly most: number;
}

/** SQLite syncs the header of a log that begins anew before it writes anything behind. */
function begun(before: Buffer, after: Buffer): Buffer {
  const header = before.length === 0 ? before : after.subarray(0, 32);
  return Buffer.concat([header, before.subarray(header.length)]);
}

/** What may be left between each two images, when the log is synced at each commit, or else at each checkpoint. */
function* leftBetween(images: readonly Image[], syncsCommits: boolean, durability: Durability): Generator<Left> {
  const blockSizes = durability === "power" ? [512, 4_096] : [4_096];
  let synced = images[0] as Image;
  for (const [index, after] of images.slice(1).entries()) {
    const before = images[index] as Image;
    if (syncsCommits) synced = before;
    const least = durability === "power" ? before.acknowledged : synced.acknowledged;
    const most = after.acknowledged;
    const isCheckpoint = !after.file.equals(before.file);
    // What was not synced is left again by each commit up to the next checkpoint, so the last one will do.
    if (durability === "process" && !isCheckpoint && after !== images.at(-1)) continue;
    const logs = { before: begun(synced.log, after.log), after: after.log, unit: 1, blockSizes };
    for (const log of halfWritten(logs)) yield { file: before.file, log, least, most };
    if (!isCheckpoint) continue;
    // In a checkpoint the file is written when the log is synced, and synced before the log begins anew.
    const files = { before: before.file, after: after.file, unit: 4_096, blockSizes };
    for (const file of halfWritten(files)) yield { file, log: after.log, least: most, most };
    synced = after;
  }
}

describe("an SQLite session that loses power", () => {
  let session: ReturnType<typeof sessionFolder>;
  let log: string;

  beforeEach(() => {
    session = sessionFolder();
    log = `${session.path}-wal`;
  });

  afterEach(() => session.remove());

  /** What a session holds after each number of transactions. */
  async function prefixes(): Promise<unknown[]> {
    const memory = new MemoryStorage({ now });
    const contents = [await wholeContentOf(memory)];
    for (let index = 0; index < bursts.reduce((sum, size) => sum + size); index++) {
      await memory.commit(transaction(index));
      contents.push(await wholeContentOf(memory));
    }
    return contents;
  }

  /** Runs all bursts. Answers an image after each, and whether SQLite syncs the log at each commit. */
  async function live(durability: Durability): Promise<{ images: Image[]; syncsCommits: boolean }> {
    const { storage, handle } = await openWithHandle(session.path, { durability, now });
    handle.pragma("wal_autocheckpoint = 11");
    const sync = vi.spyOn(LogSync.prototype, "sync");
    let acknowledged = 0;
    const look = (): Image => ({ file: readFileSync(session.path), log: readFileSync(log), acknowledged });
    const images = [look()];
    for (const size of bursts) {
      const first = acknowledged;
      await Promise.all(Array.from({ length: size }, (_, index) => storage.commit(transaction(first + index))));
      acknowledged += size;
      images.push(look());
    }
    const syncsCommits = sync.mock.calls.length >= bursts.length;
    sync.mockRestore();
    await storage.close();
    return { images, syncsCommits };
  }

  /** Opens what is left: a session with a whole prefix of the transactions, that takes another one. How many has it? */
  async function landedIn(left: Left, contents: readonly unknown[]): Promise<number> {
    writeFileSync(session.path, left.file);
    writeFileSync(log, left.log);
    const { storage, handle } = await openWithHandle(session.path, { durability: "process", now });
    // What is done to it now need not survive.
    handle.pragma("synchronous = OFF");
    const content = await wholeContentOf(storage);
    const landed = contents.findIndex((prefix) => isDeepStrictEqual(prefix, content));
    expect(landed, "the number of transactions of which just what they wrote is there").toBeGreaterThanOrEqual(0);
    expect(handle.pragma("integrity_check", { simple: true })).toBe("ok");
    expect(await storage.commit([appendList(words, "next")])).toMatchObject({ firstSeq: content.nextSeq });
    await storage.close();
    return landed;
  }

  test("[A3][A13] before it was made is made by the next open", async () => {
    const database = connectNew(Database, session.path);
    // More than its memory may hold, so that SQLite syncs its journal and begins to write the file.
    database.pragma("cache_size = 1");
    prepareChanges(database).setValue.run("n", "k", 1, JSON.stringify("x".repeat(6_000)));
    const journal = readFileSync(`${session.path}-journal`);
    database.exec("COMMIT");
    const after = readFileSync(session.path);
    database.close();
    for (const file of halfWritten({ before: Buffer.of(), after, unit: 1, blockSizes: [4_096] })) {
      writeFileSync(`${session.path}-journal`, journal);
      const landed = landedIn({ file, log: Buffer.of(), least: 0, most: 0 }, [empty]);
      // Where another page is in the place of the first, it could be anybody's file.
      if (beginsWith(file, after) || beginsWith(file, blank)) expect(await landed).toBe(0);
      else await expect(landed).rejects.toThrow(NotASession);
    }
  });

  test.each<[string, Durability]>([
    ["keeps every acknowledged transaction and a prefix of the rest", "power"],
    ["keeps a prefix of the transactions", "process"],
  ])("[A3][A13] %s, for %s, whatever was half written", async (_what, durability) => {
    const contents = await prefixes();
    const { images, syncsCommits } = await live(durability);
    let left = 0;
    let lost = 0;
    for (const disk of leftBetween(images, syncsCommits, durability)) {
      const landed = await landedIn(disk, contents);
      expect(landed).toBeGreaterThanOrEqual(disk.least);
      expect(landed).toBeLessThanOrEqual(disk.most);
      left++;
      if (landed < disk.most) lost++;
    }
    expect(left).toBeGreaterThan(120);
    expect(lost).toBeGreaterThan(80);
    // One checkpoint, and a log that begins anew after it.
    expect(images.map(({ file }) => images.findIndex((image) => image.file.equals(file)))).toEqual([
      0, 0, 0, 0, 4, 4, 4,
    ]);
    expect(images[5]?.log.subarray(0, 32).equals(images[4]?.log.subarray(0, 32) as Buffer)).toBe(false);
  });
});
