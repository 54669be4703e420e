/** The memory store: keeps a session as long as the process lives (A3 to A8, A12). */
import { commitTime } from "../admission/arguments.ts";
import type { CommitResult } from "../contract/storage.ts";
import type { Write } from "../contract/writes.ts";
import { MemoryState } from "./state.ts";
import { StateStorage } from "./state-storage.ts";

/** How a session in memory is made. */
export interface MemoryStorageOptions {
  /** The source of commit timestamps, in milliseconds since the epoch. Default: `Date.now`. */
  now?: () => number;
}

/**
 * The store that keeps nothing beyond the process (A3 to A8, A12). A commit is applied within the call and replied
 * through its promise.
 */
export class MemoryStorage extends StateStorage {
  readonly #now: () => number;

  constructor(options: MemoryStorageOptions = {}, state = new MemoryState()) {
    super(state);
    this.#now = options.now ?? Date.now;
  }

  async commit(writes: Write[]): Promise<CommitResult> {
    return this.openState().apply(writes, commitTime(this.#now));
  }

  protected async read<T>(answer: (state: MemoryState) => T): Promise<T> {
    return answer(this.openState());
  }

  /** Stops admission. Admitted commits are already applied, so there is nothing to wait for (A12). */
  async close(): Promise<void> {
    this.stopAdmission();
  }
}
