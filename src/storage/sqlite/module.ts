/** Loads the optional package better-sqlite3, and reads its errors. */
import type Database from "better-sqlite3";
import { SqliteMissing } from "../../errors.ts";
import { DamagedRow } from "./damaged-row.ts";

export type Sqlite = typeof Database;

/** The optional package, loaded only when a session is opened; `SqliteMissing` when it is not installed. */
export async function loadSqlite(load: () => Promise<{ default: Sqlite }> = importSqlite): Promise<Sqlite> {
  try {
    return (await load()).default;
  } catch (error) {
    throw new SqliteMissing(error);
  }
}

const importSqlite = () => import("better-sqlite3");

/** Whether the package is there but its native part is not: an install without scripts or without a compiler. */
export function lacksNativePart(error: unknown): boolean {
  return (
    error instanceof Error && (error.message.includes("bindings file") || errorCode(error) === "ERR_DLOPEN_FAILED")
  );
}

/** The code of an error of SQLite or of Node, such as `SQLITE_FULL`. */
export function errorCode(error: unknown): string {
  const { code } = Object(error) as { code?: unknown };
  return typeof code === "string" ? code : "";
}

/**
 * A value that is too long for the tables is that transaction's own error, and so is what the store refuses. Any other
 * error of SQLite is the storage's: ids and numbers are judged before they reach the tables, so that one which violates a
 * constraint tells of rows that no store wrote.
 */
export function isStorageFailure(error: unknown): boolean {
  const code = errorCode(error);
  return error instanceof DamagedRow || (code.startsWith("SQLITE_") && code !== "SQLITE_TOOBIG");
}
