/** Puts a whole new file in the place of the session file, at once or not at all (A10). */
import type { FileStatus, SessionFile } from "../files/files.ts";
import type { SessionLock } from "../files/lock.ts";
import { temporaryOf } from "../files/names.ts";
import type { Disk } from "./disk.ts";

/** What a new file takes the place of. */
export interface Replacement {
  /** The session file as the holder left it; `undefined` when there is none. */
  readonly left: FileStatus | undefined;
  /** Holds the new file too. */
  readonly lock: SessionLock;
}

/** The session file from now on. */
export interface Published {
  readonly file: SessionFile;
  readonly status: FileStatus;
}

const chunkLength = 1024 * 1024;

/**
 * Makes a file of `lines` and puts it in the place of the session file, at once or not at all (A10). When `durably`, no
 * loss of power leaves anything but the old or the new file.
 */
export function publish(
  disk: Disk,
  lines: Iterable<string>,
  durably: boolean,
  replaces: Replacement,
): Promise<Published> {
  return publishText(disk, chunksOf(lines), durably, replaces);
}

/** As {@link publish}, of text that comes in pieces. */
export async function publishText(
  disk: Disk,
  pieces: Iterable<string> | AsyncIterable<string>,
  durably: boolean,
  { left, lock }: Replacement,
): Promise<Published> {
  const temporary = temporaryOf(disk.path);
  const file = await disk.create(temporary, left?.access);
  let size = 0;
  for await (const piece of pieces) size += await disk.append(file, piece);
  if (durably) await disk.sync(file);
  const status = await disk.status(file);
  await lock.holdFile(status.identity);
  await disk.publish(temporary, left);
  if (durably) await disk.syncFolder();
  return { file, status: { ...status, size } };
}

/** Joins lines to pieces that are worth a physical write. */
export function* chunksOf(lines: Iterable<string>): Generator<string> {
  let chunk = "";
  for (const line of lines) {
    chunk += `${line}\n`;
    if (chunk.length < chunkLength) continue;
    yield chunk;
    chunk = "";
  }
  if (chunk !== "") yield chunk;
}
