/** The file system as a store sees it, and where a session lies in it. */
import { DurabilityError, StorageFailed } from "../../errors.ts";
import { assertSessionName } from "./names.ts";

/** One open session file. Bytes only ever go to its end. */
export interface SessionFile {
  /** Hands `bytes` over in one physical write and answers how many were taken, which a full disk may make too few. */
  append(bytes: Uint8Array): Promise<number>;
  /** Resolves when all that was appended survives a loss of power. */
  sync(): Promise<void>;
  truncate(size: number): Promise<void>;
  close(): Promise<void>;
  /** What is held, whatever became of its name. */
  status(): Promise<FileStatus>;
}

/** What tells a file from all others, and how long it is. */
export interface FileStatus {
  /** The same under every name that the file has, and for no other file of this machine. */
  readonly identity: string;
  readonly size: number;
  /** Whose it is, where the file system knows that. */
  readonly access?: FileAccess;
}

/** Whose a file is, and who may do what with it. */
export interface FileAccess {
  readonly uid: number;
  readonly gid: number;
  /** The bits of the permissions. */
  readonly mode: number;
}

/** Where a session lies. */
export interface SessionPlace {
  /** Without symbolic links, so that a rename replaces the file and not a link to it. */
  readonly path: string;
  /** Names the folder, whatever its path, and the file in it. It does not follow a file that is renamed. */
  readonly identity: string;
}

/** What the JSONL store needs of a file system. Tests put one that fails and forgets under it. */
export interface SessionFiles {
  /** The least that the disk writes, and so loses, at once, in bytes. */
  readonly blockBytes: number;
  locate(path: string): Promise<SessionPlace>;
  kindOf(path: string): Promise<"absent" | "file" | "other">;
  /** What has this name now; `undefined` when nothing has. */
  statusOf(path: string): Promise<FileStatus | undefined>;
  read(path: string): AsyncIterable<Uint8Array>;
  /** Opens a file that exists. */
  open(path: string): Promise<SessionFile>;
  /** Makes a file that does not exist yet: as `access` says, as far as this user may, or for this user alone. */
  create(path: string, access?: FileAccess): Promise<SessionFile>;
  /** Puts `from` in the place of `to`, at once or not at all. Open files stay open. */
  rename(from: string, to: string): Promise<void>;
  /** Removes the file when there is one. */
  remove(path: string): Promise<void>;
  /** Resolves when the names made, replaced and removed in the folder of `path` survive a loss of power. */
  syncFolder(path: string): Promise<void>;
}

/**
 * Where the session is, whether there is a file or not.
 *
 * @throws {NotASession} when it would have the name of a file beside another session.
 */
export async function locate(files: SessionFiles, path: string): Promise<SessionPlace> {
  try {
    const place = await files.locate(path);
    assertSessionName(place.path);
    return place;
  } catch (error) {
    throw error instanceof DurabilityError ? error : new StorageFailed(path, error);
  }
}
