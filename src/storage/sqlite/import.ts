/** Makes an SQLite session from an image (L1, L2). */
import { renameSync, rmSync, statSync } from "node:fs";
import type { Database } from "better-sqlite3";
import { DurabilityError, SessionExists, StorageFailed } from "../../errors.ts";
import { checkedPages } from "../admission/image-check.ts";
import type { NewSession, SessionImage } from "../contract/image.ts";
import { zeroUsage } from "../contract/usage-totals.ts";
import { locate } from "../files/files.ts";
import { lockSession } from "../files/lock.ts";
import { temporaryOf } from "../files/names.ts";
import { nodeFiles } from "../files/node-files.ts";
import { applyWrite } from "./apply.ts";
import { connectNew } from "./connect.ts";
import { encodeWrite } from "./encode.ts";
import { isStorageFailure, loadSqlite, type Sqlite } from "./module.ts";
import { prepareChanges } from "./statements.ts";
import { statsToText } from "./totals.ts";

/**
 * Makes a session in the SQLite database `path` from an image (L1, L2), page by page in one SQLite transaction: what is
 * written does not wait in memory. The file gets its name after the commit, so that a crash leaves either no session or
 * the whole one, and at most temporary files that the next try clears. Do not open `path` in the meantime.
 *
 * The session refuses with `SessionExists` when there is a file that is not empty, or the log of one that was there; with
 * `SessionLocked` when another such call works on it, with `SqliteMissing` when better-sqlite3 is not installed, with
 * `StorageRejected` what a store would refuse, and with `StorageFailed` when the disk fails: then the session may be
 * there or not.
 */
export function newSqliteSession(path: string): NewSession<void> {
  return async (image) => {
    const sqlite = await loadSqlite();
    const place = await locate(nodeFiles, path);
    const lock = await lockSession(place);
    try {
      await make(sqlite, place.path, image);
    } finally {
      await lock.release();
    }
  };
}

async function make(sqlite: Sqlite, path: string, image: SessionImage): Promise<void> {
  const temporary = temporaryOf(path);
  onDisk(path, () => {
    requireNothing(path);
    clear(temporary);
  });
  try {
    await build(sqlite, temporary, image);
    onDisk(path, () => {
      requireNothing(path);
      renameSync(temporary, path);
    });
  } catch (error) {
    onDisk(path, () => clear(temporary));
    throw error;
  }
  await nodeFiles.syncFolder(path).catch((error) => {
    throw new StorageFailed(path, error);
  });
}

/** SQLite would take the log of an earlier database with this name for that of the new one. */
function requireNothing(path: string): void {
  for (const file of [path, `${path}-wal`, `${path}-journal`]) {
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0) throw new SessionExists(file);
  }
}

function clear(temporary: string): void {
  for (const file of [temporary, `${temporary}-journal`]) rmSync(file, { force: true });
}

function onDisk(path: string, act: () => void): void {
  try {
    act();
  } catch (error) {
    throw error instanceof DurabilityError ? error : new StorageFailed(path, error);
  }
}

async function build(sqlite: Sqlite, file: string, image: SessionImage): Promise<void> {
  const database = connectNew(sqlite, file);
  try {
    await fill(database, image);
    database.exec("COMMIT");
  } catch (error) {
    throw isStorageFailure(error) ? new StorageFailed(file, error) : error;
  } finally {
    database.close();
  }
}

async function fill(database: Database, image: SessionImage): Promise<void> {
  const statements = prepareChanges(database);
  let { nextSeq } = image;
  let stats = { messageCount: 0, usage: zeroUsage() };
  for await (const page of checkedPages(image)) {
    for (const { write, seq, timestamp } of page) {
      stats = applyWrite(statements, encodeWrite(write), seq, timestamp, stats);
      nextSeq = Math.max(nextSeq, seq + 1);
    }
  }
  statements.saveSession.run(nextSeq, statsToText(stats));
}
