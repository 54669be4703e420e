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
  replaces: Replacement,
): Promise<Published> {
  const made = await make(disk, pieces, durably, replaces);
  await putInPlace(disk, made, durably, replaces);
  return made;
}

/** As {@link publish}, but `undefined` when the new file cannot be made: then the session file is as it was. */
export async function publishIfPossible(
  disk: Disk,
  lines: Iterable<string>,
  replaces: Replacement,
): Promise<Published | undefined> {
  let made: Published;
  try {
    made = await make(disk, chunksOf(lines), true, replaces);
  } catch {
    await disk.remove(temporaryOf(disk.path)).catch(() => {});
    return undefined;
  }
  await putInPlace(disk, made, true, replaces);
  return made;
}

async function make(
  disk: Disk,
  pieces: Iterable<string> | AsyncIterable<string>,
  durably: boolean,
  { left }: Replacement,
): Promise<Published> {
  const file = await disk.create(temporaryOf(disk.path), left?.access);
  try {
    let size = 0;
    for await (const piece of pieces) size += await disk.append(file, piece);
    if (durably) await disk.sync(file);
    return { file, status: { ...(await disk.status(file)), size } };
  } catch (error) {
    await disk.close(file).catch(() => {});
    throw error;
  }
}

async function putInPlace(
  disk: Disk,
  { status }: Published,
  durably: boolean,
  { left, lock }: Replacement,
): Promise<void> {
  await lock.holdFile(status.identity);
  await disk.publish(temporaryOf(disk.path), left);
  if (durably) await disk.syncFolder();
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
