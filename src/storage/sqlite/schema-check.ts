/** Compares the schema of a database with that of a session, before anything of it can run (A9). */
import type { Database } from "better-sqlite3";
import { NotASession } from "../../errors.ts";
import { schema } from "./schema.ts";

interface SchemaRow {
  readonly type: string;
  readonly name: string;
  readonly tbl_name: string;
  readonly sql: string;
}

const tables: readonly SchemaRow[] = schema
  .split(";")
  .map((statement) => statement.trim())
  .filter((statement) => statement.startsWith("CREATE TABLE "))
  .map((sql) => ({ type: "table", name: nameOf(sql), tbl_name: nameOf(sql), sql }))
  .sort((a, b) => (a.name < b.name ? -1 : 1));

// Rows without a text are the indexes that SQLite derives from the tables; it refuses one that has no table.
const query = `SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL
  ORDER BY name LIMIT ${tables.length + 1}`;

/**
 * Requires the tables of a session, to the letter, and nothing else: SQLite would run triggers, views, constraints,
 * generated columns and expressions of indexes for as long as they like, and a virtual table keeps what it wants. To read
 * the schema runs nothing of it.
 *
 * @throws {NotASession} when there is anything else.
 */
export function assertSchema(database: Database): void {
  const found = database.prepare<[], SchemaRow>(query).all();
  const strange = found.find((row, index) => !isSame(row, tables[index]));
  if (strange !== undefined) throw otherSchema(database, strange.type, strange.name);
  const missing = tables[found.length];
  if (missing !== undefined) throw otherSchema(database, missing.type, missing.name);
}

function otherSchema(database: Database, type: string, name: string): NotASession {
  return new NotASession(
    database.name,
    `its tables are not those of a session: see the ${type} ${JSON.stringify(name)}`,
  );
}

function isSame(found: SchemaRow, own: SchemaRow | undefined): boolean {
  const { type, name, tbl_name, sql } = found;
  return type === own?.type && name === own.name && tbl_name === own.tbl_name && sql === own.sql;
}

function nameOf(sql: string): string {
  return sql.split(" ", 3)[2] ?? "";
}
