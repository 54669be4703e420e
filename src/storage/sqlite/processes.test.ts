/** SQLite sessions over the death of processes (A13). */
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { list } from "../../addresses/address.ts";
import { SessionLocked } from "../../errors.ts";
import { Children, kill, nextLine, restOf } from "../../testing/sqlite/children.ts";
import { inDatabase, sessionFolder } from "../../testing/sqlite/sessions.ts";
import { appendList } from "../contract/writes.ts";
import { SqliteStorage } from "./sqlite.ts";

const words = list<number>("test.words");

let session: ReturnType<typeof sessionFolder>;
let children: Children;

beforeEach(() => {
  session = sessionFolder();
  children = new Children();
});

afterEach(async () => {
  await children.end();
  session.remove();
});

async function storedWords(): Promise<number[]> {
  const storage = await SqliteStorage.open(session.path);
  const stored = await storage.readList(words, { limit: 10_000 });
  await storage.close();
  return stored.map(({ value }) => value);
}

const integrity = () => inDatabase(session.path, (db) => db.pragma("integrity_check", { simple: true }));
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);
const repliesIn = (lines: readonly string[]) => lines.filter((line) => line.startsWith("replied")).length;

describe("an SQLite session and processes", () => {
  test.each([
    [1, 3],
    [1, 40],
    [7, 21],
    [7, 150],
  ])(
    "[A3] killed amid commits, %i at once, after %i replies: all that was replied is there",
    async (queued, replies) => {
      const { child, lines } = children.start(["write", session.path, String(queued)]);
      for (let seen = 0; seen < replies; seen++) await nextLine(lines);
      await kill(child);
      const replied = replies + repliesIn(await restOf(lines));
      const stored = await storedWords();
      expect(stored.length).toBeGreaterThanOrEqual(replied);
      expect(stored).toEqual(upTo(stored.length));
      expect(integrity()).toBe("ok");
    },
  );

  test("[A13] a commit that the system refuses to write ends commits; a reopen finds the replied prefix", async () => {
    // A limit on the size of files, with its signal ignored, is a write that fails as on a full disk.
    const limited = ["sh", "-c", 'trap "" XFSZ; ulimit -f 400; exec "$@"', "sh"];
    const { lines } = children.start(["write", session.path, "3"], { through: limited });
    const told = await restOf(lines);
    expect(told.slice(-2)).toEqual(["failed storage_failed", "then storage_failed"]);
    const stored = await storedWords();
    expect(repliesIn(told)).toBeGreaterThan(10);
    expect(stored.length).toBeGreaterThanOrEqual(repliesIn(told));
    expect(stored).toEqual(upTo(stored.length));
    expect(integrity()).toBe("ok");
  });

  test("[A13] another process is refused while one has the session, and let in when that one dies", async () => {
    const { child, lines } = children.start(["open", session.path]);
    expect(await nextLine(lines)).toBe("opened");
    await expect(SqliteStorage.open(session.path)).rejects.toThrow(SessionLocked);
    await kill(child);
    const storage = await SqliteStorage.open(session.path);
    await storage.commit([appendList(words, 0)]);
    await storage.close();
  });

  test("[A13] an open refused in this process does not let another process in", async () => {
    const storage = await SqliteStorage.open(session.path);
    const alias = join(session.folder, "alias");
    symlinkSync(session.path, alias);
    await expect(SqliteStorage.open(alias)).rejects.toThrow(SessionLocked);
    const { lines } = children.start(["open", session.path]);
    expect(await nextLine(lines)).toBe("session_locked");
    await storage.commit([appendList(words, 0)]);
    await storage.kill();
    expect(await storedWords()).toEqual([0]);
  });
});
