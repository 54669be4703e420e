/** The session file on disk: appends to it, syncs it, rewrites it (A9, A10, A13). */
import type { Durability } from "../contract/storage.ts";
import type { SessionFile } from "../files/files.ts";
import type { MemoryState } from "../memory/state.ts";
import { encodeWrite } from "./codec.ts";
import type { Disk } from "./disk.ts";
import { encodeHeader, type SessionHeader } from "./header.ts";
import { publish } from "./publish.ts";

/** The session file: a header, then one line per transaction. */
export class SessionLog {
  readonly #disk: Disk;
  readonly #header: Omit<SessionHeader, "nextSeq">;
  readonly #durability: Durability;
  #file: SessionFile;
  /** The offset behind the last acknowledged line. */
  #end: number;
  /** Whether a loss of power leaves all of the file up to `#end`. */
  #synced: boolean;

  constructor(disk: Disk, header: SessionHeader, durability: Durability, file: SessionFile, end: number) {
    this.#disk = disk;
    this.#header = header;
    this.#durability = durability;
    this.#file = file;
    this.#end = end;
    this.#synced = durability === "power";
  }

  /** Makes a session file that holds nothing yet. */
  static async create(disk: Disk, header: SessionHeader, durability: Durability): Promise<SessionLog> {
    const { file, size } = await publish(disk, [encodeHeader(header)], durability === "power");
    return new SessionLog(disk, header, durability, file, size);
  }

  /** Opens the session file, cuts off what is torn behind `end`, and makes sure that the rest is durable (A9, A13). */
  static async open(
    disk: Disk,
    header: SessionHeader,
    durability: Durability,
    { end, size }: { end: number; size: number },
  ): Promise<SessionLog> {
    const file = await disk.open();
    if (end < size) await disk.truncate(file, end);
    // What an earlier process wrote, and what was just read, may have been on its way to the disk. And what was cut off must
    // not come back among lines that are written in its place.
    if (durability === "power" || end < size) await disk.sync(file);
    if (durability === "power") await disk.syncFolder();
    return new SessionLog(disk, header, durability, file, end);
  }

  /**
   * Appends the lines in one write; with `power`, makes them durable with one sync. A line begins with a space when it is
   * written before the lines in front of it are known to be durable. A loss of power may leave holes anywhere in what was
   * not synced, and the space tells them from damage to what was.
   */
  async append(lines: readonly string[]): Promise<void> {
    const size = await this.#disk.append(this.#file, `${this.#synced ? "" : " "}${lines.join("\n ")}\n`);
    this.#synced = false;
    if (this.#durability === "power") await this.#sync();
    this.#end += size;
  }

  /** Rewrites the file with what is left of the state alone (A10). */
  async compact(state: MemoryState): Promise<void> {
    const { file, size } = await publish(this.#disk, this.#survivors(state), true);
    const old = this.#file;
    this.#file = file;
    this.#end = size;
    this.#synced = true;
    await this.#disk.close(old);
  }

  /** Lets go of the file. */
  close(): Promise<void> {
    return this.#disk.close(this.#file);
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
      await this.#disk.truncate(this.#file, this.#end).catch(() => {});
      throw error;
    }
  }

  *#survivors(state: MemoryState): Generator<string> {
    yield encodeHeader({ ...this.#header, nextSeq: state.nextSeq });
    for (const { write, seq, timestamp } of state.survivors()) yield encodeWrite(write, seq, timestamp);
  }
}
