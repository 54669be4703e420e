/** Looks at the bytes of a file before SQLite touches it (A9). */
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { NewerStorageVersion, NotASession, SessionLocked } from "../../errors.ts";
import { isOpenHere } from "../files/open-here.ts";
import { applicationId, schemaVersion } from "./schema.ts";

/** How every SQLite database begins. */
const magic = "SQLite format 3\0";
const headerBytes = 100;

/**
 * Refuses a file that is no session of ours before SQLite touches it: to read a database in WAL mode, SQLite makes files
 * beside it and may write into it. An absent or empty file is fine, it becomes a session.
 *
 * @throws {SessionLocked} when this process has the file open.
 * @throws {NotASession} when it is something else.
 * @throws {NewerStorageVersion} when a newer version wrote it.
 */
export function assertSessionFile(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found !== undefined && !found.isFile()) throw new NotASession(path, "it is not a file");
  if (found === undefined || found.size === 0) {
    assertNoLog(path);
    return;
  }
  // POSIX drops all locks of a process on a file when it closes any descriptor of it: ours must not be such a one.
  if (isOpenHere(found)) throw new SessionLocked(path);
  requireOneName(path, found.nlink);
  const header = readHeader(path);
  // A loss of power may leave the first page blank while it is written: as the first of all, which SQLite takes back by
  // its journal, or brought in from the log, which has it whole.
  const isBlank = header.every((byte) => byte === 0);
  if (!isBlank || !(hasLog(path) || hasContent(`${path}-journal`))) assertHeader(path, header);
}

/** Whether the session has transactions that may not be in its file yet: its last process did not close it. */
export function hasLog(path: string): boolean {
  return hasContent(`${path}-wal`);
}

/** SQLite would delete the log, and with it what was acknowledged. */
function assertNoLog(path: string): void {
  if (!hasLog(path)) return;
  throw new NotASession(
    path,
    `it is empty or not there, but its log ${path}-wal is: bring it back, or move the log away`,
  );
}

/** SQLite finds the log by the name of the file: what lies in a log beside another name would be lost. */
function requireOneName(path: string, names: number): void {
  if (names === 1) return;
  throw new NotASession(
    path,
    `it has ${names} names (hard links), and its log may lie beside another of them: keep only the name under which it was used`,
  );
}

function hasContent(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function assertHeader(path: string, header: Buffer): void {
  if (header.toString("latin1", 0, magic.length) !== magic) throw new NotASession(path, "it is no SQLite database");
  assertIdentity(path, header.readUInt32BE(68), header.readUInt32BE(60));
}

/** Checks `application_id` and `user_version`. */
export function assertIdentity(path: string, application: number, version: number): void {
  if (application !== applicationId) throw new NotASession(path, "it is an SQLite database of another application");
  if (version > schemaVersion) throw new NewerStorageVersion(path, version, schemaVersion);
  if (version !== schemaVersion) throw new NotASession(path, `it has the unknown storage version ${version}`);
}

function readHeader(path: string): Buffer {
  // Zero-filled, so that a shorter file fails the comparisons.
  const header = Buffer.alloc(headerBytes);
  const descriptor = openSync(path, "r");
  try {
    readSync(descriptor, header, 0, headerBytes, 0);
  } finally {
    closeSync(descriptor);
  }
  return header;
}
