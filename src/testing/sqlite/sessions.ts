/** Opens SQLite sessions with a view inside. */
import { join } from "node:path";
import Database from "better-sqlite3";
import { vi } from "vitest";
import { connect } from "../../storage/sqlite/connect.ts";
import type { Sqlite } from "../../storage/sqlite/module.ts";
import { SqliteStorage, type SqliteStorageOptions } from "../../storage/sqlite/sqlite.ts";
import { temporaryFolder } from "../storage/stores.ts";

/** A new folder and the path of a session that may be made in it. */
export function sessionFolder(): { readonly folder: string; readonly path: string; remove(): void } {
  const { path: folder, remove } = temporaryFolder();
  return { folder, path: join(folder, "session"), remove };
}

/** A handle to a session that tells every statement that SQLite runs. */
export function spiedDatabase(path: string): { database: Database.Database; statements: string[] } {
  const statements: string[] = [];
  const verbose = (text: unknown) => statements.push(String(text));
  const spy = function open(file: string, options: Database.Options) {
    return new Database(file, { ...options, verbose });
  } as unknown as Sqlite;
  return { database: connect(spy, path, (database) => database), statements };
}

/** Opens a session, and answers the store with the handle inside it. */
export async function openWithHandle(
  path: string,
  options: SqliteStorageOptions,
): Promise<{ storage: SqliteStorage; handle: Database.Database }> {
  const pragma = vi.spyOn(Database.prototype, "pragma");
  try {
    const storage = await SqliteStorage.open(path, options);
    return { storage, handle: pragma.mock.contexts.at(-1) as Database.Database };
  } finally {
    pragma.mockRestore();
  }
}

/** Runs statements on a database of any application. */
export function inDatabase<T>(path: string, use: (database: Database.Database) => T): T {
  const database = new Database(path);
  try {
    return use(database);
  } finally {
    database.close();
  }
}
