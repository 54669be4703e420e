/** Rows that no store wrote (A13). */
import { readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { value } from "../../addresses/address.ts";
import { NotASession, StorageFailed } from "../../errors.ts";
import { note, usage, words } from "../../testing/jsonl/sessions.ts";
import { wholeContentOf } from "../../testing/maintenance/whole-content.ts";
import { inDatabase, sessionFolder } from "../../testing/sqlite/sessions.ts";
import { appendList, setValue } from "../contract/writes.ts";
import { SqliteStorage } from "./sqlite.ts";

let session: ReturnType<typeof sessionFolder>;
/** Of the session that is opened. */
let path: string;
const open = () => SqliteStorage.open(path, { durability: "process", now: () => 7 });

beforeEach(async () => {
  session = sessionFolder();
  path = session.path;
  const storage = await open();
  await storage.commit([note("a"), note("b", "a"), usage("u")]);
  await storage.commit([setValue(value("test.count", "k"), 1), appendList(words, "w"), appendList(words, "x")]);
  await storage.close();
});

afterEach(() => session.remove());

const change = (sql: string, ...parameters: unknown[]) =>
  inDatabase(path, (database) => database.prepare(sql).run(...parameters));
const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

/** Every file in the folder. */
const files = () =>
  Object.fromEntries(
    readdirSync(session.folder).map((name) => [name, readFileSync(join(session.folder, name), "hex")]),
  );

/** Opens the session in another handle and keeps that from closing it well, so that what it did is in the log alone. */
function inLog(act: (database: Database) => unknown): void {
  inDatabase(path, (database) => {
    act(database);
    for (const name of readdirSync(session.folder)) {
      if (name !== "session-shm")
        writeFileSync(join(session.folder, `left-${name}`), readFileSync(join(session.folder, name)));
    }
  });
  path = join(session.folder, "left-session");
}

describe("[A13] an SQLite session with a row that no store wrote fails when that is read:", () => {
  type Read = (storage: SqliteStorage) => Promise<unknown>;
  const entries: Read = (storage) => storage.scanEntries({});
  const list: Read = (storage) => storage.readList(words);

  test.each<[string, Read, string, unknown, RegExp]>([
    [
      "an entry that is no JSON",
      entries,
      "UPDATE entries SET payload = ?",
      "secret",
      /row 1 of table entries .* no JSON/,
    ],
    ["an entry that is no object", entries, "UPDATE entries SET payload = ?", "[]", /row 1 of table entries/],
    ["an id that is no text", entries, "UPDATE entries SET id = ? WHERE seq = 2", "7", /row 2 of table entries/],
    ["an entry of unknown type", entries, "UPDATE entries SET type = ?", "note", /row 1 of table entries/],
    [
      "usage that is none",
      (storage) => storage.scanUsage({}),
      "UPDATE usage_rows SET payload = ?",
      "{}",
      /row 3 of table usage/,
    ],
    [
      "a value that is no JSON",
      (storage) => storage.getValue(value("test.count", "k")),
      "UPDATE stored_values SET value = ?",
      "",
      /row 4/,
    ],
    [
      "a key with a zero byte",
      (storage) => storage.scanValues(value("test.count")),
      "UPDATE stored_values SET key = ?",
      "\0",
      /row 4/,
    ],
    [
      "a number that JSON can hold and a double cannot",
      list,
      "UPDATE list_elements SET value = ?",
      "1e999",
      /row 5 of table list_elements/,
    ],
    ["too many levels", list, "UPDATE list_elements SET value = ?", nested(1_001), /row 5 of table list_elements/],
    [
      "more levels than the stack has",
      list,
      "UPDATE list_elements SET value = ?",
      nested(200_000),
      /row 5 of table list_elements/,
    ],
    [
      "no sequence number",
      list,
      "UPDATE list_elements SET seq = ? WHERE seq = 6",
      2n ** 60n,
      /is damaged: it has no sequence number/,
    ],
    [
      "an entry that is its own ancestor",
      (storage) => storage.scanBranch({ start: "b" }),
      "UPDATE entries SET parent_id = ?",
      '"b"',
      /parent does not come before/,
    ],
    ["a number twice", wholeContentOf, "UPDATE stored_values SET seq = ?", 5, /UNIQUE constraint failed/],
  ])("%s", async (_what, read, sql, parameter, message) => {
    change(sql, parameter);
    const storage = await open();
    await expect(read(storage)).rejects.toThrow(StorageFailed);
    await expect(read(storage)).rejects.toThrow(message);
    await expect(read(storage)).rejects.not.toThrow("secret");
    if (read !== wholeContentOf) await expect(storage.commit([])).rejects.toThrow(StorageFailed);
    await storage.close();
  });

  test("a list that is out of order", async () => {
    // The numbers of the two rows, each before its value.
    const bytes = readFileSync(path);
    const at = bytes.indexOf('\x05"w"');
    expect(at).toBeGreaterThan(0);
    bytes[at] = 7;
    writeFileSync(path, bytes);
    const storage = await open();
    await expect(storage.readList(words, { order: "desc" })).rejects.toThrow(/row 7 .* out of order/);
    await storage.close();
  });

  test("a number that the next transaction should get", async () => {
    change("UPDATE list_elements SET seq = 7 WHERE seq = 6");
    const storage = await open();
    await expect(storage.commit([appendList(words, "y")])).rejects.toThrow(StorageFailed);
    await expect(storage.commit([note("c")])).rejects.toThrow(StorageFailed);
    await storage.close();
  });

  test("a prototype as a member of a value is a member", async () => {
    change("UPDATE list_elements SET value = ?", '{"__proto__":{"polluted":true}}');
    const storage = await open();
    const [element] = await storage.readList<unknown>(words as never);
    expect(Object.entries(element?.value as object)).toEqual([["__proto__", { polluted: true }]]);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    await storage.close();
  });
});

describe("[A9] an SQLite session that cannot be opened stays as it is:", () => {
  const totals = { messageCount: 0, usage: {} };

  test.each<[string, string, unknown]>([
    ["a next number that is taken", "UPDATE session SET next_seq = ?", 3],
    ["a next number that is too great", "UPDATE session SET next_seq = ?", 2n ** 62n],
    ["totals that are no JSON", "UPDATE session SET stats = ?", "{"],
    ["totals that are none", "UPDATE session SET stats = ?", "null"],
    ["totals without numbers", "UPDATE session SET stats = ?", JSON.stringify(totals)],
    ["totals with more levels than the stack has", "UPDATE session SET stats = ?", nested(200_000)],
  ])("%s", async (_what, sql, parameter) => {
    inLog((database) => database.prepare(sql).run(parameter));
    const before = files();
    await expect(open()).rejects.toThrow(StorageFailed);
    await expect(open()).rejects.toThrow(/a row of table session is damaged/);
    expect(files()).toEqual(before);
  });

  const slow = "length(hex(zeroblob(100000000))) > 0";
  const listColumns = "namespace TEXT NOT NULL, key TEXT NOT NULL, seq INTEGER NOT NULL, value TEXT NOT NULL";
  const instead = (table: string, made: string) => `DROP TABLE ${table}; ${made}`;

  test.each<[string, string]>([
    ["a trigger", "CREATE TRIGGER t AFTER INSERT ON entries BEGIN SELECT 1; END"],
    ["a view", "CREATE VIEW v AS SELECT 1"],
    ["a table more", "CREATE TABLE zebra (x)"],
    ["a table less", "DROP TABLE usage_rows"],
    ["an index with an expression", "CREATE INDEX i ON entries (length(payload))"],
    ["an index", "CREATE INDEX i ON entries (parent_id)"],
    ["a column more", "ALTER TABLE entries ADD COLUMN x TEXT"],
    ["a default", "ALTER TABLE session ADD COLUMN x TEXT DEFAULT 'x'"],
    ["statistics", "ANALYZE"],
    [
      "a constraint",
      instead(
        "list_elements",
        `CREATE TABLE list_elements (${listColumns} CHECK (${slow}), PRIMARY KEY (namespace, key, seq)) STRICT, WITHOUT ROWID`,
      ),
    ],
    [
      "a generated column",
      instead(
        "list_elements",
        `CREATE TABLE list_elements (${listColumns}, x TEXT AS (iif(${slow}, key, key)), PRIMARY KEY (namespace, key, seq)) STRICT, WITHOUT ROWID`,
      ),
    ],
    [
      "a virtual table",
      instead("list_elements", "CREATE VIRTUAL TABLE list_elements USING fts5(namespace, key, seq, value)"),
    ],
    [
      "a view in the place of a table",
      instead("list_elements", "CREATE VIEW list_elements AS SELECT namespace, key, seq, value FROM stored_values"),
    ],
    [
      "a table without types",
      "CREATE TABLE weak AS SELECT * FROM session; DROP TABLE session; ALTER TABLE weak RENAME TO session",
    ],
  ])("%s, which no session has, in the log and in the file", async (_what, sql) => {
    inLog((database) => database.exec(sql));
    for (const at of [path, session.path]) {
      path = at;
      const before = files();
      await expect(open()).rejects.toThrow(NotASession);
      await expect(open()).rejects.toThrow(/its tables are not those of a session/);
      expect(files()).toEqual(before);
    }
  });

  test("a file that SQLite cannot read, whose log it would delete", async () => {
    inLog((database) => database.exec("UPDATE session SET next_seq = 8"));
    const file = readFileSync(path);
    // Embedded payload fractions, which are the same in every database.
    writeFileSync(path, file.fill(0, 21, 24));
    writeFileSync(`${path}-wal`, readFileSync(`${path}-wal`).fill(0, 0, 32));
    const before = files();

    await expect(open()).rejects.toThrow(NotASession);
    expect(files()).toEqual(before);
  });

  test("a log without its file, or with an empty one", async () => {
    inLog((database) => database.exec("UPDATE session SET next_seq = 8"));
    truncateSync(path, 0);
    const before = files();
    await expect(open()).rejects.toThrow(/bring it back, or move the log away/);
    expect(files()).toEqual(before);
    path = join(session.folder, "absent");
    writeFileSync(`${path}-wal`, "left");
    await expect(open()).rejects.toThrow(NotASession);
    expect(readdirSync(session.folder)).not.toContain("absent");
  });
});
