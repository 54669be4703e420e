/** The JSONL store: one file of JSON lines, all of it in memory (A3 to A13). */
import { uuidv7 } from "@earendil-works/pi-ai/utils/uuid";
import { StorageRejected } from "../../errors.ts";
import { commitTime, requireDurability } from "../admission/arguments.ts";
import type { CommitResult, Durability } from "../contract/storage.ts";
import type { Write } from "../contract/writes.ts";
import type { SessionFiles } from "../files/files.ts";
import { nodeFiles } from "../files/node-files.ts";
import type { MemoryState } from "../memory/state.ts";
import { StateStorage } from "../memory/state-storage.ts";
import { defaultCompactAfter, requireCompactAfter } from "./garbage.ts";
import { type OpenedSession, openForReading, openForWriting } from "./open.ts";
import type { SessionWriter } from "./session-writer.ts";

/** How a JSONL session is opened. */
export interface JsonlStorageOptions {
  /** What a replied commit survives. Default: power. */
  durability?: Durability;
  /** The source of commit timestamps, in milliseconds. Default: `Date.now`. */
  now?: () => number;
  /** Reads the session as it is now, beside its writer if there is one; commits are refused. Default: false. */
  readOnly?: boolean;
  /** The id of a session that does not exist yet. Default: a UUIDv7. */
  sessionId?: string;
  /** When a session that does not exist yet is made, in milliseconds since the epoch. Default: `Date.now()`. */
  createdAt?: number;
  /**
   * The session compacts by itself, at open, at close and between streams, when more than half of the writes in its file are
   * undone and the file has grown by this many bytes, and at least to twice of what the last compaction left. `Infinity`:
   * never. Default: 1 MiB.
   */
  compactAfter?: number;
  /** The file system underneath. Default: the machine's. */
  files?: SessionFiles;
}

/**
 * The store in one file of JSON lines (A3 to A10, A12, A13), with all of its content in memory. A commit is checked and
 * numbered within the call, and replied when it is durable; those that come while the disk is busy go to it together.
 *
 * A read takes its turn among the commits: it answers when every transaction handed over before it is durable or has
 * failed, and sees none of those after it. So it sees what it would see in memory, and nothing that a crash could
 * still undo. After a failure it sees what was replied.
 */
export class JsonlStorage extends StateStorage {
  readonly sessionId: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly #writer: SessionWriter | undefined;
  readonly #now: () => number;

  private constructor({ header, state, writer }: OpenedSession, now: () => number) {
    super(state);
    this.sessionId = header.sessionId;
    this.createdAt = header.createdAt;
    this.#writer = writer;
    this.#now = now;
  }

  /**
   * Opens the session in the file `path` and holds it for writing until closed; without such a file, or with an empty
   * one, makes a new session. A torn last line is cut off; nothing is changed on disk when this throws one of the first
   * four errors.
   *
   * @throws {TypeError} when the durability is neither "process" nor "power", or `compactAfter` is no number above 0.
   * @throws {SessionLocked} when the session is already open for writing.
   * @throws {NotASession} when the file is something else.
   * @throws {NewerStorageVersion} when a newer version of this package wrote it.
   * @throws {CorruptSession} when it has a line that this package cannot have written.
   * @throws {StorageFailed} when it cannot be read or written.
   */
  static async open(path: string, options: JsonlStorageOptions = {}): Promise<JsonlStorage> {
    const { durability = "power", now = Date.now, readOnly = false, files = nodeFiles } = options;
    requireDurability(durability);
    const { compactAfter = defaultCompactAfter } = options;
    requireCompactAfter(compactAfter);
    const { createdAt = Date.now(), sessionId = uuidv7(createdAt) } = options;
    const fresh = { sessionId, createdAt, nextSeq: 1 };
    const opened = readOnly
      ? await openForReading(files, path)
      : await openForWriting(files, path, durability, fresh, compactAfter);
    return new JsonlStorage(opened, now);
  }

  /**
   * @throws {StorageRejected} when the transaction is refused; the store stays usable.
   * @throws {StorageFailed} when the disk failed, now or earlier; the transaction may have landed (A13).
   */
  async commit(writes: Write[]): Promise<CommitResult> {
    this.openState();
    return this.#requireWriter().commit(writes, commitTime(this.#now));
  }

  /**
   * Rewrites the file with what is left of the session after all commits before this call (A10). Later ones wait for
   * it. A crash leaves the old or the new file.
   *
   * @throws {StorageFailed} when the disk failed; the session is as it was, and has to be opened again.
   */
  async compact(): Promise<void> {
    this.openState();
    await this.#requireWriter().compact();
  }

  /** Stops admission, lets admitted commits finish, then lets go of the file and its lock (A12). Idempotent. */
  async close(): Promise<void> {
    this.stopAdmission();
    await this.#writer?.close();
  }

  /**
   * Lets go of the file and its lock without finishing anything, as the death of the process would: what the operating
   * system has been given may land, nothing is given to it any more, and commits that were not replied never are. An
   * open of the same session in this thread waits for the one operation that may be in flight.
   */
  async kill(): Promise<void> {
    this.stopAdmission();
    await this.#writer?.kill();
  }

  protected async read<T>(answer: (state: MemoryState) => T): Promise<T> {
    const state = this.openState();
    return this.#writer === undefined ? answer(state) : this.#writer.ask(() => answer(state));
  }

  #requireWriter(): SessionWriter {
    if (this.#writer === undefined) throw new StorageRejected("read_only", "The session is open for reading only");
    return this.#writer;
  }
}
