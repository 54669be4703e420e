/** The file operations of one open session, one at a time, until it ends (A13, K1). */
import { DurabilityError, SessionLost, StorageFailed } from "../../errors.ts";
import type { FileAccess, FileStatus, SessionFile, SessionFiles } from "../files/files.ts";

/**
 * The file operations of one open session, one at a time. Each failure is a `StorageFailed`. After `end`, no
 * operation begins, and the one in flight is never answered, as if the process had died.
 */
export class Disk {
  readonly path: string;
  readonly #files: SessionFiles;
  readonly #held = new Set<SessionFile>();
  #inFlight: Promise<unknown> | undefined;
  #ended = false;

  constructor(files: SessionFiles, path: string) {
    this.#files = files;
    this.path = path;
  }

  /** Opens the session file. */
  open(): Promise<SessionFile> {
    return this.#hold(() => this.#files.open(this.path));
  }

  create(path: string, access?: FileAccess): Promise<SessionFile> {
    return this.#hold(() => this.#files.create(path, access));
  }

  /** Appends all of `text` in one physical write and answers its size. A short write is a failure (A13). */
  append(file: SessionFile, text: string): Promise<number> {
    const bytes = Buffer.from(text, "utf8");
    return this.#run(async () => {
      const written = await file.append(bytes);
      if (written !== bytes.length) throw shortWrite(written, bytes.length);
      return written;
    });
  }

  sync(file: SessionFile): Promise<void> {
    return this.#run(() => file.sync());
  }

  truncate(file: SessionFile, size: number): Promise<void> {
    return this.#run(() => file.truncate(size));
  }

  close(file: SessionFile): Promise<void> {
    return this.#run(() => {
      // Not before it is closed here: an end in the meantime closes what is held.
      this.#held.delete(file);
      return file.close();
    });
  }

  /**
   * Puts `from` in the place of the session file, if that is still what the holder left: `undefined` when there was none.
   *
   * @throws {SessionLost}
   */
  publish(from: string, left: FileStatus | undefined): Promise<void> {
    return this.#run(async () => {
      assertSame(this.path, left, await this.#files.statusOf(this.path));
      await this.#files.rename(from, this.path);
    });
  }

  /** What the session file is now, by its name. */
  statusOfSession(): Promise<FileStatus | undefined> {
    return this.#run(() => this.#files.statusOf(this.path));
  }

  /** What is held, whatever became of its name. */
  status(file: SessionFile): Promise<FileStatus> {
    return this.#run(() => file.status());
  }

  /** @throws {SessionLost} when the session file is not what the holder left. */
  requireSame(left: FileStatus): Promise<void> {
    return this.#run(async () => assertSame(this.path, left, await this.#files.statusOf(this.path)));
  }

  remove(path: string): Promise<void> {
    return this.#run(() => this.#files.remove(path));
  }

  syncFolder(): Promise<void> {
    return this.#run(() => this.#files.syncFolder(this.path));
  }

  /** Lets the operation in flight return, then lets go of the files. Never rejects. */
  async end(): Promise<void> {
    this.#ended = true;
    await this.#inFlight?.catch(ignore);
    await Promise.all([...this.#held].map((file) => file.close().catch(ignore)));
  }

  #hold(open: () => Promise<SessionFile>): Promise<SessionFile> {
    return this.#run(async () => {
      const file = await open();
      this.#held.add(file);
      return file;
    });
  }

  async #run<T>(operation: () => Promise<T>): Promise<T> {
    if (this.#ended) return never();
    try {
      const inFlight = operation();
      this.#inFlight = inFlight;
      const result = await inFlight;
      return this.#ended ? await never() : result;
    } catch (cause) {
      if (this.#ended) return never();
      throw cause instanceof DurabilityError ? cause : new StorageFailed(this.path, cause);
    }
  }
}

function assertSame(path: string, left: FileStatus | undefined, found: FileStatus | undefined): void {
  if (left?.identity !== found?.identity) {
    throw new SessionLost(path, `its file was ${found === undefined ? "moved away or deleted" : "replaced"}`);
  }
  if (left?.size !== found?.size) throw new SessionLost(path, "somebody else has written to its file");
}

const never = (): Promise<never> => new Promise(() => {});

const ignore = (): void => {};

/** A file takes a part of what it is given when there is no room for the rest. */
function shortWrite(written: number, length: number): Error {
  return Object.assign(new Error(`only ${written} of ${length} bytes were written`), { code: "ENOSPC" });
}
