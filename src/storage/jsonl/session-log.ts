/** The session file on disk: appends to it, syncs it, rewrites it (A9, A10, A13). */
import type { Durability } from "../contract/storage.ts";
import type { FileStatus, SessionFile } from "../files/files.ts";
import type { SessionLock } from "../files/lock.ts";
import type { MemoryState } from "../memory/state.ts";
import { encodeWrite } from "./codec.ts";
import type { Disk } from "./disk.ts";
import { encodeHeader, type SessionHeader } from "./header.ts";
import { type Published, publish, publishIfPossible, type Replacement } from "./publish.ts";

/** With `process`, how many transactions are acknowledged at most before the file is looked at by its name. */
const greatestUnseen = 64;

/** The session file: a header, then one line per transaction. */
export class SessionLog {
  readonly #disk: Disk;
  readonly #header: Omit<SessionHeader, "nextSeq">;
  readonly #durability: Durability;
  readonly #lock: SessionLock;
  #file: SessionFile;
  /** The file as it is behind the last acknowledged line. */
  #status: FileStatus;
  /** How many lines were written since the file was last looked at by its name. */
  #unseen = 0;
  /** Whether a loss of power leaves all of the file up to `#end`. */
  #synced: boolean;

  constructor(disk: Disk, header: SessionHeader, durability: Durability, lock: SessionLock, held: Published) {
    this.#disk = disk;
    this.#header = header;
    this.#durability = durability;
    this.#lock = lock;
    this.#file = held.file;
    this.#status = held.status;
    this.#synced = durability === "power";
  }

  /** The bytes of the file. */
  get size(): number {
    return this.#status.size;
  }

  /** Makes a session file that holds nothing yet. */
  static async create(
    disk: Disk,
    header: SessionHeader,
    durability: Durability,
    replaces: Replacement,
  ): Promise<SessionLog> {
    const held = await publish(disk, [encodeHeader(header)], durability === "power", replaces);
    return new SessionLog(disk, header, durability, replaces.lock, held);
  }

  /** Opens the session file, cuts off what is torn behind `end`, and makes sure that the rest is durable (A9, A13). */
  static async open(
    disk: Disk,
    header: SessionHeader,
    durability: Durability,
    { end, size }: { end: number; size: number },
    lock: SessionLock,
  ): Promise<SessionLog> {
    const file = await disk.open();
    const status = await disk.status(file);
    await lock.holdFile(status.identity);
    // What was read by its name is what is held.
    await disk.requireSame({ ...status, size });
    if (end < size) await disk.truncate(file, end);
    // What an earlier process wrote, and what was just read, may have been on its way to the disk. And what was cut off must
    // not come back among lines that are written in its place.
    if (durability === "power" || end < size) await disk.sync(file);
    if (durability === "power") await disk.syncFolder();
    return new SessionLog(disk, header, durability, lock, { file, status: { ...status, size: end } });
  }

  /**
   * Appends the lines in one write; with `power`, makes them durable with one sync. A line begins with a space when it is
   * written before the lines in front of it are known to be durable. A loss of power may leave holes anywhere in what was
   * not synced, and the space tells them from damage to what was.
   *
   * @throws {SessionLost} when the file is no more what this holder left; it looks at intervals of {@link greatestUnseen}.
   */
  async append(lines: readonly string[]): Promise<void> {
    const unseen = this.#unseen + lines.length;
    // Whatever fails from here on says more than another look would.
    this.#unseen = 0;
    const size = await this.#disk.append(this.#file, `${this.#synced ? "" : " "}${lines.join("\n ")}\n`);
    this.#synced = false;
    if (this.#durability === "power") await this.#sync();
    this.#status = { ...this.#status, size: this.#status.size + size };
    if (this.#durability === "power" || unseen >= greatestUnseen) await this.#disk.requireSame(this.#status);
    else this.#unseen = unseen;
  }

  /** Rewrites the file with what is left of the state alone (A10). */
  async compact(state: MemoryState): Promise<void> {
    this.#unseen = 0;
    const replaces = { left: this.#status, lock: this.#lock };
    await this.#take(await publish(this.#disk, this.#survivors(state), true, replaces));
  }

  /** As {@link compact}, but goes on in the old file when the new one cannot be made, on a full disk for example. */
  async compactIfPossible(state: MemoryState): Promise<boolean> {
    const unseen = this.#unseen;
    this.#unseen = 0;
    const replaces = { left: this.#status, lock: this.#lock };
    const made = await publishIfPossible(this.#disk, this.#survivors(state), replaces);
    if (made === undefined) this.#unseen = unseen;
    else await this.#take(made);
    return made !== undefined;
  }

  async #take({ file, status }: Published): Promise<void> {
    const old = this.#file;
    this.#file = file;
    this.#status = status;
    this.#synced = true;
    await this.#disk.close(old);
  }

  /** Lets go of the file. @throws {SessionLost} when what was written last is not at the session's name. */
  async close(): Promise<void> {
    try {
      if (this.#unseen > 0) await this.#disk.requireSame(this.#status);
    } finally {
      await this.#disk.close(this.#file);
    }
  }

  /**
   * A failed sync is never tried again (A13): the kernel may have forgotten the pages that it could not write. A reopen
   * would still read them, so they are cut off; whether that works or not, nothing more is written here.
   */
  async #sync(): Promise<void> {
    try {
      await this.#disk.sync(this.#file);
      this.#synced = true;
    } catch (error) {
      await this.#disk.truncate(this.#file, this.#status.size).catch(() => {});
      throw error;
    }
  }

  *#survivors(state: MemoryState): Generator<string> {
    yield encodeHeader({ ...this.#header, nextSeq: state.nextSeq });
    for (const { write, seq, timestamp } of state.survivors()) yield encodeWrite(write, seq, timestamp);
  }
}
