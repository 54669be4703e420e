/** Opens a session file for reading or for writing (A9, A13). */
import { NotASession } from "../../errors.ts";
import type { Durability } from "../contract/storage.ts";
import { locate, type SessionFiles } from "../files/files.ts";
import { lockSession } from "../files/lock.ts";
import { temporaryOf } from "../files/names.ts";
import { isDatabaseOpenHere } from "../files/open-here.ts";
import { MemoryState } from "../memory/state.ts";
import { Disk } from "./disk.ts";
import { Garbage } from "./garbage.ts";
import type { SessionHeader } from "./header.ts";
import { loadSession } from "./load.ts";
import { SessionLog } from "./session-log.ts";
import { SessionWriter } from "./session-writer.ts";

/** A session in memory, with its writer when it is open for writing. */
export interface OpenedSession {
  readonly header: SessionHeader;
  readonly state: MemoryState;
  readonly writer?: SessionWriter;
}

/** Reads the session without taking its lock and without changing anything. */
export async function openForReading(files: SessionFiles, path: string): Promise<OpenedSession> {
  const place = await locate(files, path);
  if (isDatabaseOpenHere(place.path))
    throw new NotASession(path, "it is an SQLite database that this process has open");
  const loaded = await loadSession(files, place.path);
  if (loaded === undefined) throw new NotASession(path, "there is no such file, or it is empty");
  return loaded;
}

/** Takes the lock, then reads the session, or makes a new one with the header `fresh`. */
export async function openForWriting(
  files: SessionFiles,
  path: string,
  durability: Durability,
  fresh: SessionHeader,
  compactAfter: number,
): Promise<OpenedSession> {
  const place = await locate(files, path);
  const lock = await lockSession(place);
  const disk = new Disk(files, place.path);
  try {
    const found = await disk.statusOfSession();
    if (found !== undefined) await lock.holdFile(found.identity);
    const loaded = await loadSession(files, place.path);
    await disk.remove(temporaryOf(place.path));
    const { header, state } = loaded ?? { header: fresh, state: new MemoryState() };
    const log =
      loaded === undefined
        ? await SessionLog.create(disk, header, durability, { left: found, lock })
        : await SessionLog.open(disk, header, durability, loaded, lock);
    const garbage = new Garbage(compactAfter, state, loaded?.history ?? { left: log.size, writes: 0 });
    const writer = new SessionWriter(state, disk, lock, log, garbage);
    await writer.tidy();
    return { header, state, writer };
  } catch (error) {
    await disk.end();
    await lock.release();
    throw error;
  }
}
