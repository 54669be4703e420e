/** Reads of an SQLite session walk along an index (A6, A11). */
import type { Database } from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { sessionFolder, spiedDatabase } from "../../testing/sqlite/sessions.ts";
import { prepareReads, type ReadStatements } from "./statements.ts";

describe("the reads of an SQLite session", () => {
  let session: ReturnType<typeof sessionFolder>;
  let database: Database;
  let reads: ReadStatements;

  beforeEach(() => {
    session = sessionFolder();
    database = spiedDatabase(session.path).database;
    reads = prepareReads(database);
  });

  afterEach(() => {
    database.close();
    session.remove();
  });

  function planOf(source: string, parameters: unknown): string[] {
    const rows = database.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${source}`).all(parameters);
    return rows.map(({ detail }) => detail);
  }

  const range = { from: 0, to: 9, limit: 9, type: null, customType: null };

  test.each<[keyof ReadStatements, unknown, string]>([
    ["pageUp", ["n", "k", 0, 9], "SEARCH list_elements USING PRIMARY KEY (namespace=? AND key=? AND seq>?)"],
    ["pageDown", ["n", "k", 9, 9], "SEARCH list_elements USING PRIMARY KEY (namespace=? AND key=? AND seq<?)"],
    ["value", ["n", "k"], "SEARCH stored_values USING PRIMARY KEY (namespace=? AND key=?)"],
    [
      "valuesWithPrefix",
      { namespace: "n", prefix: "k" },
      "SEARCH stored_values USING PRIMARY KEY (namespace=? AND key>? AND key<?)",
    ],
    ["entriesUp", range, "SEARCH entries USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"],
    ["entriesDown", range, "SEARCH entries USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"],
    ["usageUp", range, "SEARCH usage_rows USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"],
    ["usageDown", range, "SEARCH usage_rows USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"],
  ])("[A11] %s walks the primary key, without a temporary sort", (name, parameters, plan) => {
    expect(planOf(reads[name].source, parameters)).toEqual([plan]);
  });
});
