/** Collects the transactions of one turn of the event loop, or of one sync, to commit them together (C1, C3). */
import type { CommitResult } from "../contract/storage.ts";
import type { EncodedTransaction } from "./encode.ts";
import type { Outcome } from "./writer.ts";

interface Admitted {
  readonly transaction: EncodedTransaction;
  readonly resolve: (result: CommitResult) => void;
  readonly reject: (error: unknown) => void;
}

/** Tells somebody who waits for the disk that it is done, or why it failed. */
type Waiting = (failure: unknown) => void;

/** What the queue has done. */
export interface CommitQueueWork {
  readonly commitAll: (transactions: readonly EncodedTransaction[]) => Outcome[];
  /** Resolves when what was committed is durable. Without it, it is durable at once. */
  readonly sync?: (() => Promise<void>) | undefined;
  /** What to tell when a sync failed. Later commits fail too. */
  readonly failed: (cause: unknown) => unknown;
}

// Taken here, so that timers faked for a test do not hold commits back.
const atEndOfTurn = setImmediate;

/**
 * Collects the transactions admitted in one turn of the event loop and commits them together. The end of the turn, and
 * not the next microtask, because appends of one burst are admitted from several microtasks (C1); and not a time, so
 * that a transaction alone waits for nothing (C3). Those that come during a sync are committed together when it is over.
 */
export class CommitQueue {
  readonly #work: CommitQueueWork;
  #admitted: Admitted[] = [];
  /** Committed after the sync that is under way began. */
  #unsynced: Waiting[] = [];
  /** Made durable by the sync that is under way. */
  #syncing: Waiting[] = [];
  #isSyncing = false;

  constructor(work: CommitQueueWork) {
    this.#work = work;
  }

  admit(transaction: EncodedTransaction): Promise<CommitResult> {
    if (this.#admitted.length === 0 && !this.#isSyncing) atEndOfTurn(() => this.flush());
    return new Promise((resolve, reject) => {
      this.#admitted.push({ transaction, resolve, reject });
    });
  }

  /** Commits all that was admitted so far. Its promises are settled in order, when it is durable. */
  flush(): void {
    const group = this.#admitted;
    this.#admitted = [];
    if (group.length === 0) return;
    const outcomes = this.#work.commitAll(group.map(({ transaction }) => transaction));
    const isRefused = outcomes.every((outcome) => "error" in outcome);
    this.#whenDurable(isRefused, (failure) => {
      group.forEach(({ resolve, reject }, index) => {
        const outcome = outcomes[index];
        if (outcome === undefined || "error" in outcome) reject(outcome?.error);
        else if (failure === undefined) resolve(outcome.result);
        else reject(failure);
      });
    });
  }

  /** Resolves when all that was committed is durable; rejects when it is not. */
  async durable(): Promise<void> {
    if (!this.#isSyncing) return;
    const waiting = this.#unsynced.length > 0 ? this.#unsynced : this.#syncing;
    await new Promise<void>((resolve, reject) => {
      waiting.push((failure) => (failure === undefined ? resolve() : reject(failure)));
    });
  }

  /** Forgets all that was admitted and is not durable; it is never replied. */
  drop(): void {
    this.#admitted = [];
    this.#unsynced = [];
    this.#syncing = [];
  }

  #whenDurable(isAlready: boolean, tell: Waiting): void {
    const { sync } = this.#work;
    if (isAlready || sync === undefined) {
      tell(undefined);
      return;
    }
    this.#unsynced.push(tell);
    if (!this.#isSyncing) void this.#syncAll(sync);
  }

  async #syncAll(sync: () => Promise<void>): Promise<void> {
    this.#isSyncing = true;
    let failure: unknown;
    while (this.#unsynced.length > 0) {
      this.#syncing = this.#unsynced;
      this.#unsynced = [];
      // Never tried again: the kernel may have forgotten what it could not write.
      if (failure === undefined) await sync().catch((cause: unknown) => (failure = this.#work.failed(cause)));
      for (const tell of this.#syncing.splice(0)) tell(failure);
      this.flush();
    }
    this.#isSyncing = false;
  }
}
