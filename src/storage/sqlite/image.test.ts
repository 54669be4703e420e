/** How the image of an SQLite session is read (A11, L2). */
import type { Database } from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { StorageFailed } from "../../errors.ts";
import { sessionFolder, spiedDatabase } from "../../testing/sqlite/sessions.ts";
import { pageOf, SqliteImage } from "./image.ts";

describe("the image of an SQLite session", () => {
  let session: ReturnType<typeof sessionFolder>;
  let database: Database;
  const newImage = () => new SqliteImage(database, (query) => query());
  const copies = () => database.prepare("SELECT count(*) FROM sqlite_temp_schema").pluck().get();

  beforeEach(() => {
    session = sessionFolder();
    database = spiedDatabase(session.path).database;
    database.exec("INSERT INTO stored_values VALUES ('n', 'k', 1, '\"v\"')");
  });

  afterEach(() => {
    database.close();
    session.remove();
  });

  test("[A11] is read by walks along the primary keys, without a temporary sort", () => {
    database.exec("CREATE TABLE temp.copy (seq INTEGER PRIMARY KEY, kind TEXT, namespace TEXT, key TEXT, value TEXT)");
    const plan = database.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${pageOf("temp.copy")}`);
    const details = plan.all({ from: 1, to: 9, limit: 9 }).map(({ detail }) => detail);

    expect(details.filter((detail) => detail.startsWith("SEARCH"))).toEqual(
      ["main.entries", "main.usage_rows", "temp.copy"].map(
        (table) => `SEARCH ${table} USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)`,
      ),
    );
    expect(details.filter((detail) => /SCAN|TEMP B-TREE/.test(detail))).toEqual([]);
  });

  test("[L2] has a copy of its own, which goes with it", () => {
    const [first, second] = [newImage(), newImage()];
    expect(copies()).toBe(2);
    first.release();
    expect(copies()).toBe(1);
    second.release();
    expect(copies()).toBe(0);
  });

  test("[A12] goes with the handle too", () => {
    const image = newImage();
    database.close();

    expect(() => image.release()).not.toThrow();
  });

  test("[L2] without room for its copy is refused, and leaves none", () => {
    database.exec("INSERT INTO list_elements VALUES ('n', 'k', 2, hex(zeroblob(100000)))");
    database.pragma("temp.max_page_count = 3");

    expect(newImage).toThrow(StorageFailed);
    expect(copies()).toBe(0);
  });
});
