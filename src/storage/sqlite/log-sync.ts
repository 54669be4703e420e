/** Makes what SQLite wrote to its log survive a loss of power, off the event loop (A3). */
import { type FileHandle, open } from "node:fs/promises";

/**
 * Syncs the log of a session through a descriptor of its own: SQLite would hold the event loop for as long as the disk
 * takes, and with it every other session of the process. SQLite keeps the same log from open to close, and has no lock on
 * it that this descriptor could end.
 */
export class LogSync {
  readonly #log: FileHandle;

  private constructor(log: FileHandle) {
    this.#log = log;
  }

  /** Of the session in `file`, which is open. */
  static async open(file: string): Promise<LogSync> {
    return new LogSync(await open(`${file}-wal`, "r+"));
  }

  /** Resolves when all that was committed before the call survives. */
  sync(): Promise<void> {
    return this.#log.datasync();
  }

  /** Waits for a sync that is under way. */
  close(): Promise<void> {
    return this.#log.close();
  }
}
