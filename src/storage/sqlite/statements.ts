/** The SQL statements of an SQLite session, prepared once. */
import type { Database, Statement } from "better-sqlite3";

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

/** The session's own row, with the newest number of an entry or a usage row. */
export interface SessionRow {
  next_seq: number;
  stats: string;
  newest: number;
}

/** The bounds of a scan: from inclusive, to exclusive; `null` filters nothing; a limit of -1 is none. */
export type RangeBinding = { from: number; to: number; limit: number };
type EntryRangeBinding = RangeBinding & { type: string | null; customType: string | null };

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

const session = `
  SELECT next_seq, stats, max(
    coalesce((SELECT max(seq) FROM entries), 0), coalesce((SELECT max(seq) FROM usage_rows), 0)
  ) AS newest FROM session`;

type Order = "ASC" | "DESC";

/** The reading statements, prepared once. */
export interface ReadStatements {
  readonly value: Statement<[string, string], ContentRow>;
  readonly valuesWithPrefix: Statement<[{ namespace: string; prefix: string }], KeyedRow>;
  readonly pageUp: Statement<[string, string, number, number], ContentRow>;
  readonly pageDown: Statement<[string, string, number, number], ContentRow>;
  readonly entry: Statement<[string], EntryRow>;
  readonly structure: Statement<[string], StructureRow>;
  readonly entriesUp: Statement<[EntryRangeBinding], EntryRow>;
  readonly entriesDown: Statement<[EntryRangeBinding], EntryRow>;
  readonly usageUp: Statement<[RangeBinding], UsageRecord>;
  readonly usageDown: Statement<[RangeBinding], UsageRecord>;
}

export function prepareReads(database: Database): ReadStatements {
  return {
    value: database.prepare("SELECT seq, value FROM stored_values WHERE namespace = ? AND key = ?"),
    valuesWithPrefix: database.prepare(valuesWithPrefix),
    pageUp: database.prepare(page("ASC")),
    pageDown: database.prepare(page("DESC")),
    entry: database.prepare(`SELECT ${structureColumns}, payload FROM entries WHERE id = ?`),
    structure: database.prepare(`SELECT ${structureColumns} FROM entries WHERE id = ?`),
    entriesUp: database.prepare(entryRange("ASC")),
    entriesDown: database.prepare(entryRange("DESC")),
    usageUp: database.prepare(usageRange("ASC")),
    usageDown: database.prepare(usageRange("DESC")),
  };
}

/** The writing statements, prepared once. */
export interface ChangeStatements {
  readonly begin: Statement;
  readonly commit: Statement;
  readonly savepoint: Statement;
  readonly release: Statement;
  readonly rollbackToSavepoint: Statement;
  readonly session: Statement<[], SessionRow>;
  readonly saveSession: Statement<[number, string]>;
  readonly isEntry: Statement<[string], 1>;
  readonly isUsage: Statement<[string], 1>;
  readonly insertEntry: Statement;
  readonly insertUsage: Statement<[number, string, string]>;
  readonly setValue: Statement<[string, string, number, string]>;
  readonly deleteValue: Statement<[string, string]>;
  readonly append: Statement<[string, string, number, string]>;
  readonly deleteList: Statement<[string, string]>;
}

export function prepareChanges(database: Database): ChangeStatements {
  return {
    begin: database.prepare("BEGIN IMMEDIATE"),
    commit: database.prepare("COMMIT"),
    savepoint: database.prepare("SAVEPOINT one"),
    release: database.prepare("RELEASE one"),
    rollbackToSavepoint: database.prepare("ROLLBACK TO one"),
    session: database.prepare(session),
    saveSession: database.prepare("UPDATE session SET next_seq = ?, stats = ?"),
    isEntry: database.prepare<[string], 1>("SELECT 1 FROM entries WHERE id = ?").pluck(),
    isUsage: database.prepare<[string], 1>("SELECT 1 FROM usage_rows WHERE id = ?").pluck(),
    insertEntry: database.prepare(
      `INSERT INTO entries (${structureColumns}, payload)
       VALUES (@seq, @id, @parentId, @timestamp, @type, @customType, @payload)`,
    ),
    insertUsage: database.prepare("INSERT INTO usage_rows (seq, id, payload) VALUES (?, ?, ?)"),
    setValue: database.prepare("INSERT OR REPLACE INTO stored_values (namespace, key, seq, value) VALUES (?, ?, ?, ?)"),
    deleteValue: database.prepare("DELETE FROM stored_values WHERE namespace = ? AND key = ?"),
    append: database.prepare("INSERT INTO list_elements (namespace, key, seq, value) VALUES (?, ?, ?, ?)"),
    deleteList: database.prepare("DELETE FROM list_elements WHERE namespace = ? AND key = ?"),
  };
}
