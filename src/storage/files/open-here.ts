/** Tells which files this process has open, so that closing a descriptor of its own takes no lock away. */
import { fstatSync, readdirSync, readSync, type Stats, statSync } from "node:fs";

const databaseMagic = Buffer.from("SQLite format 3\0");

/**
 * Whether this process, in whichever thread, has the file open. POSIX drops all locks of a process on a file when it closes
 * any descriptor of it, so ours must not be such a one. Where no `/dev/fd` tells, locks belong to handles.
 */
export function isOpenHere(file: Stats): boolean {
  return descriptorsOf(file).length > 0;
}

/** Whether this process has `path` open as an SQLite database. Looks through that descriptor, and opens none. */
export function isDatabaseOpenHere(path: string): boolean {
  const file = statSync(path, { throwIfNoEntry: false });
  return file !== undefined && descriptorsOf(file).some(readsDatabase);
}

function descriptorsOf(file: Stats): number[] {
  return openDescriptors().filter((descriptor) => {
    try {
      const held = fstatSync(descriptor);
      return held.ino === file.ino && held.dev === file.dev;
    } catch {
      // Closed since it was listed, as the descriptor of the listing itself.
      return false;
    }
  });
}

function readsDatabase(descriptor: number): boolean {
  const start = Buffer.alloc(databaseMagic.length);
  try {
    readSync(descriptor, start, 0, start.length, 0);
    return start.equals(databaseMagic);
  } catch {
    // Only for writing, as SQLite opens none, or closed by now.
    return false;
  }
}

function openDescriptors(): number[] {
  try {
    return readdirSync("/dev/fd").map(Number);
  } catch {
    return [];
  }
}
