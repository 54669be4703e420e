/** Asks SQLite itself whether a database is sound (A11). */
import { loadSqlite } from "./module.ts";

/**
 * What SQLite finds wrong with the database `path`, which nobody may have open; `undefined` when it is sound.
 *
 * @throws {SqliteMissing} when better-sqlite3 is not installed.
 */
export async function sqliteDefect(path: string): Promise<string | undefined> {
  const sqlite = await loadSqlite();
  const database = new sqlite(path);
  try {
    const answer = String(database.pragma("integrity_check", { simple: true }));
    return answer === "ok" ? undefined : answer;
  } finally {
    database.close();
  }
}
