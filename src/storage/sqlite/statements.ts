import type { Database } from "better-sqlite3";

/** The columns of an entry that a walk along a branch needs. */
export interface StructureRow {
  seq: number;
  id: string;
  parent_id: string;
  timestamp: number;
  type: string;
  custom_type: string | null;
}

export interface EntryRow extends StructureRow {
  payload: string;
}

export interface UsageRecord {
  seq: number;
  id: string;
  payload: string;
}

/** A stored value or list element. */
export interface ContentRow {
  seq: number;
  value: string;
}

export interface KeyedRow extends ContentRow {
  key: string;
}

/** The bounds of a scan: from inclusive, to exclusive; `null` filters nothing; a limit of -1 is none. */
export type RangeBinding = { from: number; to: number; limit: number };
export type EntryRangeBinding = RangeBinding & { type: string | null; customType: string | null };

const structureColumns = "seq, id, parent_id, timestamp, type, custom_type";

const entryRange = (order: Order) => `
  SELECT ${structureColumns}, payload FROM entries
  WHERE seq >= @from AND seq < @to
    AND (@type IS NULL OR type = @type) AND (@customType IS NULL OR custom_type = @customType)
  ORDER BY seq ${order} LIMIT @limit`;

const usageRange = (order: Order) => `
  SELECT seq, id, payload FROM usage_rows
  WHERE seq >= @from AND seq < @to ORDER BY seq ${order} LIMIT @limit`;

const page = (order: Order) => `
  SELECT seq, value FROM list_elements
  WHERE namespace = ? AND key = ? AND seq ${order === "ASC" ? ">=" : "<"} ? ORDER BY seq ${order} LIMIT ?`;

// No UTF-8 text has the byte FF, so this bound stands behind every key with the prefix.
const valuesWithPrefix = `
  SELECT key, seq, value FROM stored_values
  WHERE namespace = @namespace AND key >= @prefix AND key < @prefix || CAST(X'FF' AS TEXT) ORDER BY key`;

type Order = "ASC" | "DESC";

/** The reading statements, prepared once. */
export function prepareReads(database: Database) {
  return {
    value: database.prepare<[string, string], ContentRow>(
      "SELECT seq, value FROM stored_values WHERE namespace = ? AND key = ?",
    ),
    valuesWithPrefix: database.prepare<[{ namespace: string; prefix: string }], KeyedRow>(valuesWithPrefix),
    pageUp: database.prepare<[string, string, number, number], ContentRow>(page("ASC")),
    pageDown: database.prepare<[string, string, number, number], ContentRow>(page("DESC")),
    entry: database.prepare<[string], EntryRow>(`SELECT ${structureColumns}, payload FROM entries WHERE id = ?`),
    structure: database.prepare<[string], StructureRow>(`SELECT ${structureColumns} FROM entries WHERE id = ?`),
    entriesUp: database.prepare<[EntryRangeBinding], EntryRow>(entryRange("ASC")),
    entriesDown: database.prepare<[EntryRangeBinding], EntryRow>(entryRange("DESC")),
    usageUp: database.prepare<[RangeBinding], UsageRecord>(usageRange("ASC")),
    usageDown: database.prepare<[RangeBinding], UsageRecord>(usageRange("DESC")),
  };
}

export type ReadStatements = ReturnType<typeof prepareReads>;

/** The writing statements, prepared once. */
export function prepareChanges(database: Database) {
  return {
    begin: database.prepare("BEGIN IMMEDIATE"),
    commit: database.prepare("COMMIT"),
    savepoint: database.prepare("SAVEPOINT one"),
    release: database.prepare("RELEASE one"),
    rollbackToSavepoint: database.prepare("ROLLBACK TO one"),
    session: database.prepare<[], { next_seq: number; stats: string }>("SELECT next_seq, stats FROM session"),
    saveSession: database.prepare<[number, string]>("UPDATE session SET next_seq = ?, stats = ?"),
    isEntry: database.prepare<[string], 1>("SELECT 1 FROM entries WHERE id = ?").pluck(),
    isUsage: database.prepare<[string], 1>("SELECT 1 FROM usage_rows WHERE id = ?").pluck(),
    insertEntry: database.prepare(
      `INSERT INTO entries (${structureColumns}, payload)
       VALUES (@seq, @id, @parentId, @timestamp, @type, @customType, @payload)`,
    ),
    insertUsage: database.prepare<[number, string, string]>(
      "INSERT INTO usage_rows (seq, id, payload) VALUES (?, ?, ?)",
    ),
    setValue: database.prepare<[string, string, number, string]>(
      "INSERT OR REPLACE INTO stored_values (namespace, key, seq, value) VALUES (?, ?, ?, ?)",
    ),
    deleteValue: database.prepare<[string, string]>("DELETE FROM stored_values WHERE namespace = ? AND key = ?"),
    append: database.prepare<[string, string, number, string]>(
      "INSERT INTO list_elements (namespace, key, seq, value) VALUES (?, ?, ?, ?)",
    ),
    deleteList: database.prepare<[string, string]>("DELETE FROM list_elements WHERE namespace = ? AND key = ?"),
  };
}

export type ChangeStatements = ReturnType<typeof prepareChanges>;
