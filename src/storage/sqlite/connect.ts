/** Opens, makes and locks the database of a session (A9, A11, A13). */
import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database } from "better-sqlite3";
import { DurabilityError, NotASession, SessionLocked, SqliteMissing, StorageFailed } from "../../errors.ts";
import { zeroUsage } from "../contract/usage-totals.ts";
import { assertSessionName } from "../files/names.ts";
import { assertIdentity, assertSessionFile, hasLog } from "./file-header.ts";
import { errorCode, lacksNativePart, type Sqlite } from "./module.ts";
import { schema } from "./schema.ts";
import { assertSchema } from "./schema-check.ts";
import { statsToText } from "./totals.ts";

/**
 * Opens or creates the session in `file`, a path without symbolic links, whose lock the caller holds. SQLite's own lock is
 * taken too: it is exclusive until the handle closes, and the kernel lets it go when the process dies. The handle is given
 * to `use`, and closed when that throws; before, `use` may get one that can only read, as a rehearsal.
 */
export function connect<T>(sqlite: Sqlite, file: string, use: (database: Database) => T): T {
  try {
    assertSessionName(file);
    assertSessionFile(file);
    if (hasLog(file)) inspect(sqlite, file, use);
    // No time to wait for a lock: it is held as long as the other writer lives.
    const database = new sqlite(file, { timeout: 0 });
    return closingOnError(database, () => {
      claim(database);
      configure(database);
      return use(database);
    });
  } catch (error) {
    throw openingError(file, error);
  }
}

/** Makes a new session in a file of its own, and leaves the transaction open that makes it. */
export function connectNew(sqlite: Sqlite, file: string): Database {
  try {
    const database = new sqlite(file, { timeout: 0 });
    return closingOnError(database, () => {
      begin(database);
      create(database);
      return database;
    });
  } catch (error) {
    throw openingError(file, error);
  }
}

/**
 * Reads a session with a log as an open would, and writes nothing. When a writer closes, SQLite brings the log into the
 * file, or deletes it when it cannot read the file: what has to be refused must not come to that.
 *
 * To read a log, SQLite makes a file beside it. Where it cannot, as on a full disk, a copy elsewhere is read.
 */
function inspect(sqlite: Sqlite, file: string, use: (database: Database) => unknown): void {
  try {
    rehearse(sqlite, file, use);
  } catch (error) {
    if (!findsNoRoom(error)) throw error;
    inspectCopy(sqlite, file, use);
  }
}

function inspectCopy(sqlite: Sqlite, file: string, use: (database: Database) => unknown): void {
  const folder = mkdtempSync(join(tmpdir(), "assistant-durability-"));
  try {
    const copy = join(folder, "session");
    for (const part of ["", "-wal"]) copyFileSync(`${file}${part}`, `${copy}${part}`);
    rehearse(sqlite, copy, use);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function findsNoRoom(error: unknown): boolean {
  const code = errorCode(error);
  return code.startsWith("SQLITE_IOERR_SHM") || code.startsWith("SQLITE_CANTOPEN") || code === "SQLITE_FULL";
}

function rehearse(sqlite: Sqlite, file: string, use: (database: Database) => unknown): void {
  const sharedMemory = `${file}-shm`;
  const isShared = existsSync(sharedMemory);
  const database = new sqlite(file, { readonly: true, timeout: 0 });
  try {
    requireIdentity(database);
    use(database);
  } finally {
    database.close();
    if (!isShared) rmSync(sharedMemory, { force: true });
  }
}

function requireIdentity(database: Database): void {
  assertIdentity(database.name, number(database, "application_id"), number(database, "user_version"));
  assertSchema(database);
}

function closingOnError<T>(database: Database, act: () => T): T {
  try {
    return act();
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Takes the lock for good. A new session is made in the same transaction, so that half a one is never seen. */
function claim(database: Database): void {
  begin(database);
  if (isEmpty(database)) create(database);
  else requireIdentity(database);
  database.exec("COMMIT");
}

function begin(database: Database): void {
  database.pragma("locking_mode = EXCLUSIVE");
  // A new session is safe on disk whatever its commits need. Where fsync leaves data in the drive's cache (macOS), the
  // second pragma flushes it; elsewhere it changes nothing.
  database.pragma("synchronous = FULL");
  database.pragma("fullfsync = ON");
  database.exec("BEGIN EXCLUSIVE");
}

function isEmpty(database: Database): boolean {
  return database.prepare("SELECT count(*) FROM sqlite_schema").pluck().get() === 0;
}

function create(database: Database): void {
  database.exec(schema);
  const stats = statsToText({ messageCount: 0, usage: zeroUsage() });
  database.prepare("INSERT INTO session (next_seq, stats) VALUES (1, ?)").run(stats);
}

/** How many pages of the log are brought into the file at once. SQLite holds the event loop meanwhile. */
const checkpointPages = 1_000;

/** Bytes: somewhat more than those pages take, with their headers. */
const greatestLog = 4.5 * 1024 * 1024;

function configure(database: Database): void {
  const mode = database.pragma("journal_mode = WAL", { simple: true });
  if (mode !== "wal") throw new Error(`SQLite cannot keep a write-ahead log here, its journal mode stays ${mode}`);
  // The log is synced before it is brought into the file, and the file before the log begins anew. When else the log is
  // synced, the store decides.
  database.pragma("synchronous = NORMAL");
  database.pragma(`wal_autocheckpoint = ${checkpointPages}`);
  // One great transaction would leave a great log for as long as the session is open.
  database.pragma(`journal_size_limit = ${greatestLog}`);
}

function number(database: Database, pragma: string): number {
  return Number(database.pragma(pragma, { simple: true }));
}

function openingError(path: string, error: unknown): DurabilityError {
  if (error instanceof DurabilityError) return error;
  if (errorCode(error).startsWith("SQLITE_BUSY")) return new SessionLocked(path);
  if (errorCode(error) === "SQLITE_NOTADB") return new NotASession(path, "it is no SQLite database");
  return lacksNativePart(error) ? new SqliteMissing(error) : new StorageFailed(path, error);
}
