/** What is opened, made and refused as an SQLite session (A9, A11). */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { list } from "../../addresses/address.ts";
import { NewerStorageVersion, NotASession, SqliteMissing, StorageFailed } from "../../errors.ts";
import { inDatabase, sessionFolder } from "../../testing/sqlite/sessions.ts";
import { appendList } from "../contract/writes.ts";
import { loadSqlite } from "./module.ts";
import { SqliteStorage } from "./sqlite.ts";

const words = list<string>("test.words");

let session: ReturnType<typeof sessionFolder>;
beforeEach(() => {
  session = sessionFolder();
});
afterEach(() => session.remove());

const contentOf = (folder: string) =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "base64")]));

async function makeSession(): Promise<void> {
  const storage = await SqliteStorage.open(session.path);
  await storage.commit([appendList(words, "kept")]);
  await storage.close();
}

describe("opening an SQLite session", () => {
  test.each<[string, typeof NotASession | typeof NewerStorageVersion, () => unknown]>([
    ["a text file", NotASession, () => writeFileSync(session.path, "no database\n".repeat(50))],
    ["a file of a few bytes", NotASession, () => writeFileSync(session.path, "x")],
    [
      "a database of another application",
      NotASession,
      () => inDatabase(session.path, (db) => db.exec("CREATE TABLE t (x); PRAGMA user_version = 1")),
    ],
    [
      "a database of another application in WAL mode",
      NotASession,
      () =>
        inDatabase(session.path, (db) => {
          db.pragma("journal_mode = WAL");
          db.exec("CREATE TABLE t (x)");
        }),
    ],
    [
      "a database of another application with a log that was left behind",
      NotASession,
      () =>
        inDatabase(join(session.folder, "in-use"), (db) => {
          db.pragma("journal_mode = WAL");
          db.exec("CREATE TABLE t (x)");
          for (const part of ["", "-wal"]) copyFileSync(`${db.name}${part}`, `${session.path}${part}`);
        }),
    ],
    [
      "a newer session",
      NewerStorageVersion,
      async () => {
        await makeSession();
        inDatabase(session.path, (db) => db.pragma("user_version = 2"));
      },
    ],
    [
      "a session of version zero",
      NotASession,
      async () => {
        await makeSession();
        inDatabase(session.path, (db) => db.pragma("user_version = 0"));
      },
    ],
  ])("[A9] refuses %s and touches nothing", async (_what, refusal, make) => {
    await make();
    const before = contentOf(session.folder);
    await expect(SqliteStorage.open(session.path)).rejects.toThrow(refusal);
    expect(contentOf(session.folder)).toEqual(before);
  });

  test("[A9] refuses a newer session whose version stands in its log alone, and touches nothing", async () => {
    const original = join(session.folder, "in-use");
    await (await SqliteStorage.open(original)).close();
    inDatabase(original, (db) => {
      db.pragma("user_version = 2");
      for (const part of ["", "-wal"]) copyFileSync(`${original}${part}`, `${session.path}${part}`);
    });
    const before = contentOf(session.folder);

    await expect(SqliteStorage.open(session.path)).rejects.toThrow(NewerStorageVersion);
    expect(contentOf(session.folder)).toEqual(before);
  });

  test("[A11] makes a session in an absent and in an empty file, in WAL mode", async () => {
    writeFileSync(session.path, "");
    for (const path of [session.path, join(session.folder, "absent")]) {
      const storage = await SqliteStorage.open(path);
      await storage.commit([appendList(words, "x")]);
      expect(existsSync(`${path}-wal`)).toBe(true);
      await storage.close();
      expect(inDatabase(path, (db) => db.pragma("journal_mode", { simple: true }))).toBe("wal");
    }
  });

  test("tells a missing folder and a damaged session as failures of the storage, and keeps no lock", async () => {
    await expect(SqliteStorage.open(join(session.folder, "no", "folder"))).rejects.toThrow(StorageFailed);
    await makeSession();
    inDatabase(session.path, (db) => db.exec("DELETE FROM session"));
    await expect(SqliteStorage.open(session.path)).rejects.toThrow(/session row is missing/);
  });

  test("[A13] a killed session opens where SQLite can make no file beside it, as on a full disk", async () => {
    const storage = await SqliteStorage.open(session.path);
    await storage.commit([appendList(words, "kept")]);
    const killed = join(session.folder, "killed");
    for (const part of ["", "-wal"]) copyFileSync(`${session.path}${part}`, `${killed}${part}`);
    await storage.close();
    mkdirSync(`${killed}-shm`);

    const reopened = await SqliteStorage.open(killed);
    expect(await reopened.readList(words)).toHaveLength(1);
    await reopened.close();
  });

  test.each([
    ["ENOSPC", true],
    ["SQLITE_FULL", true],
    ["EIO", false],
  ])("[A13] a failure with the code %s says whether the disk is full: %s", (code, isDiskFull) => {
    const failed = new StorageFailed("session", Object.assign(new Error("why"), { code }));
    expect(failed).toMatchObject({ causeCode: code, isDiskFull });
    expect(failed.message.includes("the disk is full: make room")).toBe(isDiskFull);
  });

  test("names the package when it is missing", async () => {
    const missing = "better-sqlite3-that-is-not-there";

    await expect(loadSqlite(() => import(missing))).rejects.toThrow(SqliteMissing);
    await expect(loadSqlite(() => import(missing))).rejects.toThrow(/npm install better-sqlite3/);
  });
});
