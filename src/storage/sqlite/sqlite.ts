/** The SQLite store: one database, its content on disk (A3 to A8, A11 to A13). */
import type { Database } from "better-sqlite3";
import type { Value, ValueList } from "../../addresses/address.ts";
import type { Entry, EntryStructure, UsageRow } from "../../durable/entries.ts";
import { StorageClosed, StorageFailed } from "../../errors.ts";
import { commitTime, requireDurability, takenAddress, takenIds, takenScan, takenWalk } from "../admission/arguments.ts";
import type { ImageSource, SessionImage } from "../contract/image.ts";
import { type ListReadOptions, resolveListReadOptions } from "../contract/list-options.ts";
import type {
  BranchScan,
  CommitResult,
  Durability,
  EntryScan,
  ListElement,
  SessionStats,
  Storage,
  StoredValue,
  UsageScan,
} from "../contract/storage.ts";
import type { Write } from "../contract/writes.ts";
import { locate } from "../files/files.ts";
import { lockSession, type SessionLock } from "../files/lock.ts";
import { nodeFiles } from "../files/node-files.ts";
import { CommitQueue } from "./commit-queue.ts";
import { connect } from "./connect.ts";
import { encodeTransaction } from "./encode.ts";
import { SqliteImage } from "./image.ts";
import { LogSync } from "./log-sync.ts";
import { isStorageFailure, loadSqlite } from "./module.ts";
import { SqliteReader } from "./reader.ts";
import { SqliteWriter } from "./writer.ts";

/** How an SQLite session is opened. */
export interface SqliteStorageOptions {
  /** What a replied commit survives. Default: power. */
  durability?: Durability;
  /** The source of commit timestamps, in milliseconds since the epoch. Default: `Date.now`. */
  now?: () => number;
}

/**
 * The open stores. The collector closes a handle that nobody refers to, and SQLite's lock would end with it; a session is
 * held until it is closed, whether or not its owner still thinks of it.
 */
const held = new Set<SqliteStorage>();

/**
 * The store in one SQLite database (A3 to A8, A11 to A13). A transaction is judged, numbered and written at the end of the
 * turn of the event loop in which it was handed over, or before the next read; with `power` it is synced off the event
 * loop, together with all that came meanwhile. A read sees what is durable. What it returns is deeply frozen.
 */
export class SqliteStorage implements Storage, ImageSource {
  readonly #database: Database;
  readonly #writer: SqliteWriter;
  readonly #reader: SqliteReader;
  readonly #queue: CommitQueue;
  readonly #now: () => number;
  readonly #lock: SessionLock;
  /** For `power` alone. */
  #log: LogSync | undefined;
  #closed = false;
  /** Ends the wait of a close. */
  #overtake = () => {};
  #gone: Promise<void> | undefined;

  private constructor(database: Database, durability: Durability, now: () => number, lock: SessionLock) {
    this.#database = database;
    this.#lock = lock;
    this.#writer = new SqliteWriter(database);
    this.#reader = new SqliteReader(database);
    this.#queue = new CommitQueue({
      commitAll: (transactions) => this.#writer.commitAll(transactions),
      sync: durability === "power" ? async () => this.#log?.sync() : undefined,
      failed: (cause) => this.#writer.fail(cause),
    });
    this.#now = now;
  }

  /**
   * Opens the session in the file `path`, or makes a new one, and holds it for writing until closed. A file that is
   * refused stays as it is, and so does its log.
   *
   * @throws {TypeError} when the durability is neither "process" nor "power".
   * @throws {SqliteMissing} when better-sqlite3 is not installed.
   * @throws {SessionLocked} when the session is already open for writing.
   * @throws {NotASession} when the file is something else, or only its log is there.
   * @throws {NewerStorageVersion} when a newer version of this package wrote it.
   * @throws {StorageFailed} when it is damaged, or cannot be read or written.
   */
  static async open(path: string, options: SqliteStorageOptions = {}): Promise<SqliteStorage> {
    const { durability = "power", now = Date.now } = options;
    requireDurability(durability);
    const sqlite = await loadSqlite();
    const place = await locate(nodeFiles, path);
    const lock = await lockSession(place);
    try {
      const make = (database: Database) => new SqliteStorage(database, durability, now, lock);
      const storage = connect(sqlite, place.path, make);
      held.add(storage);
      if (durability === "power") await storage.#syncsLog();
      return storage;
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  async commit(writes: Write[]): Promise<CommitResult> {
    this.#requireOpen();
    return this.#queue.admit(encodeTransaction(writes, commitTime(this.#now)));
  }

  async getEntries(ids: string[]): Promise<Map<string, Entry>> {
    const taken = takenIds(ids);
    const found = await this.#read((reader) =>
      taken.map((id) => reader.entry(id)).filter((entry) => entry !== undefined),
    );
    return new Map(found.map((entry) => [entry.id, entry]));
  }

  async getValue<T>(address: Value<T>): Promise<StoredValue<T> | undefined> {
    const taken = takenAddress(address);
    return this.#read((reader) => reader.value(taken));
  }

  async scanValues<T>(prefix: Value<T>): Promise<StoredValue<T>[]> {
    const taken = takenAddress(prefix);
    return this.#read((reader) => reader.valuesWithPrefix(taken));
  }

  async readList<T>(address: ValueList<T>, options?: ListReadOptions): Promise<ListElement<T>[]> {
    const taken = takenAddress(address);
    const page = resolveListReadOptions(options);
    return this.#read((reader) => reader.page(taken, page));
  }

  async scanBranch(query: BranchScan): Promise<Entry[]> {
    const taken = takenWalk(query);
    return this.#read((reader) => reader.branch(taken));
  }

  async scanBranchStructure(query: BranchScan): Promise<EntryStructure[]> {
    const taken = takenWalk(query);
    return this.#read((reader) => reader.branchStructure(taken));
  }

  async scanEntries(query: EntryScan): Promise<Entry[]> {
    const taken = takenScan(query);
    return this.#read((reader) => reader.entries(taken));
  }

  async scanUsage(query: UsageScan): Promise<UsageRow[]> {
    const taken = takenScan(query);
    return this.#read((reader) => reader.usage(taken));
  }

  async getStats(): Promise<SessionStats> {
    return this.#read(() => this.#writer.stats);
  }

  /** What SQLite needs for the copy is made within the call; commits go on while `use` works. */
  async withImage<T>(use: (image: SessionImage) => Promise<T>): Promise<T> {
    const image = await this.#read(() => new SqliteImage(this.#database, (query) => this.#ask(query)));
    try {
      return await use(image);
    } finally {
      image.release();
    }
  }

  /** Stops admission, lets admitted commits finish and lets go of the file (A12). Idempotent. */
  async close(): Promise<void> {
    if (!this.#closed) {
      this.#closed = true;
      this.#queue.flush();
      await new Promise<void>((over) => {
        this.#overtake = over;
        // Whoever handed a commit over is told of its failure.
        this.#queue.durable().then(over, over);
      });
    }
    await this.#letGo();
  }

  /**
   * Lets go of the file and its lock at once, as the death of the process would: commits that were not replied never
   * are; those that SQLite has written may land. Idempotent.
   */
  async kill(): Promise<void> {
    this.#closed = true;
    this.#queue.drop();
    this.#overtake();
    await this.#letGo();
  }

  #letGo(): Promise<void> {
    this.#gone ??= this.#end();
    return this.#gone;
  }

  async #end(): Promise<void> {
    held.delete(this);
    try {
      this.#database.close();
      await this.#log?.close();
    } finally {
      await this.#lock.release();
    }
  }

  async #syncsLog(): Promise<void> {
    try {
      this.#log = await LogSync.open(this.#database.name);
    } catch (error) {
      await this.#letGo();
      throw new StorageFailed(this.#database.name, error);
    }
  }

  /** A read sees every transaction that was handed over before it (A8), and answers when those are durable. */
  async #read<T>(ask: (reader: SqliteReader) => T): Promise<T> {
    const answer = this.#ask(ask);
    await this.#queue.durable();
    return answer;
  }

  #ask<T>(ask: (reader: SqliteReader) => T): T {
    this.#requireOpen();
    this.#queue.flush();
    try {
      return ask(this.#reader);
    } catch (error) {
      throw isStorageFailure(error) ? this.#writer.fail(error) : error;
    }
  }

  #requireOpen(): void {
    if (this.#closed) throw new StorageClosed();
  }
}
