/** Makes a JSONL session from an image (L1, L2). */
import { uuidv7 } from "@earendil-works/pi-ai/utils/uuid";
import { DurabilityError, SessionExists, StorageFailed, StorageRejected } from "../../errors.ts";
import { checkedPages } from "../admission/image-check.ts";
import type { NewSession, SessionImage, Survivor } from "../contract/image.ts";
import { locate, type SessionFiles } from "../files/files.ts";
import { lockSession } from "../files/lock.ts";
import { temporaryOf } from "../files/names.ts";
import { nodeFiles } from "../files/node-files.ts";
import { encodeOrUndefined, fits } from "./admission.ts";
import { Disk } from "./disk.ts";
import { encodeHeader, type SessionHeader } from "./header.ts";
import type { JsonlStorageOptions } from "./jsonl.ts";
import { greatestLine } from "./line-splitter.ts";
import { chunksOf, publishText, type Replacement } from "./publish.ts";

/** Identity and file system of the new session, as for an opened one. */
export type NewJsonlSessionOptions = Pick<JsonlStorageOptions, "sessionId" | "createdAt" | "files">;

/**
 * Makes a session in the file `path` from an image (L1, L2), page by page. The file gets its name when all of it is on
 * the disk (A10), so that a crash leaves either no session or the whole one, and at most a temporary file that the next
 * try clears. The new session has an identity of its own, unless the options give it that of the source.
 *
 * The session refuses with `SessionExists` when there is a file that is not empty, with `SessionLocked` when another
 * handle works on it, with `StorageRejected` what a store would refuse, and with `StorageFailed` when the disk fails:
 * then the session may be there or not.
 */
export function newJsonlSession(path: string, options: NewJsonlSessionOptions = {}): NewSession<void> {
  const { files = nodeFiles, createdAt = Date.now(), sessionId = uuidv7(createdAt) } = options;
  return async (image) => {
    const place = await locate(files, path);
    const lock = await lockSession(place);
    const disk = new Disk(files, place.path);
    try {
      await requireNothing(files, place.path);
      const left = await disk.statusOfSession();
      await write(disk, { left, lock }, { sessionId, createdAt, nextSeq: image.nextSeq }, image);
    } finally {
      await disk.end();
      await lock.release();
    }
  };
}

async function write(disk: Disk, replaces: Replacement, header: SessionHeader, image: SessionImage): Promise<void> {
  const temporary = temporaryOf(disk.path);
  await disk.remove(temporary);
  try {
    const { file } = await publishText(disk, piecesOf(header, image), true, replaces);
    await disk.close(file);
  } catch (error) {
    // Best effort: the reason to tell is the first one, and what stays is cleared by the next try.
    await disk.remove(temporary).catch(() => {});
    throw error;
  }
}

async function* piecesOf(header: SessionHeader, image: SessionImage): AsyncGenerator<string> {
  yield* chunksOf([encodeHeader(header)]);
  for await (const page of checkedPages(image)) yield* chunksOf(linesOf(page));
}

/** @throws {StorageRejected} `too_large` when a line would be longer than `greatest` bytes. */
export function* linesOf(page: readonly Survivor[], greatest = greatestLine): Generator<string> {
  for (const { write, seq, timestamp } of page) {
    const line = encodeOrUndefined([write], seq, timestamp);
    if (line === undefined || !fits(line, greatest)) {
      throw new StorageRejected("too_large", `Write ${seq} takes more than ${greatest} bytes as JSON`);
    }
    yield line;
  }
}

async function requireNothing(files: SessionFiles, path: string): Promise<void> {
  try {
    if ((await files.kindOf(path)) === "absent") return;
    for await (const _bytes of files.read(path)) throw new SessionExists(path);
  } catch (error) {
    throw error instanceof DurabilityError ? error : new StorageFailed(path, error);
  }
}
