/** Collects the transactions of one turn of the event loop, to commit them together (C1, C3). */
import type { CommitResult } from "../contract/storage.ts";
import type { EncodedTransaction } from "./encode.ts";
import type { Outcome } from "./writer.ts";

interface Admitted {
  readonly transaction: EncodedTransaction;
  readonly resolve: (result: CommitResult) => void;
  readonly reject: (error: unknown) => void;
}

// Taken here, so that timers faked for a test do not hold commits back.
const atEndOfTurn = setImmediate;

/**
 * Collects the transactions admitted in one turn of the event loop and commits them together. The end of the turn, and
 * not the next microtask, because appends of one burst are admitted from several microtasks (C1); and not a time, so
 * that a transaction alone waits for nothing (C3).
 */
export class CommitQueue {
  readonly #commitAll: (transactions: readonly EncodedTransaction[]) => Outcome[];
  #admitted: Admitted[] = [];

  constructor(commitAll: (transactions: readonly EncodedTransaction[]) => Outcome[]) {
    this.#commitAll = commitAll;
  }

  admit(transaction: EncodedTransaction): Promise<CommitResult> {
    if (this.#admitted.length === 0) atEndOfTurn(() => this.flush());
    return new Promise((resolve, reject) => {
      this.#admitted.push({ transaction, resolve, reject });
    });
  }

  /** Commits all that was admitted so far, and settles its promises in order. */
  flush(): void {
    const group = this.#admitted;
    this.#admitted = [];
    if (group.length === 0) return;
    const outcomes = this.#commitAll(group.map(({ transaction }) => transaction));
    group.forEach(({ resolve, reject }, index) => {
      const outcome = outcomes[index];
      if (outcome !== undefined && "result" in outcome) resolve(outcome.result);
      else reject(outcome?.error);
    });
  }

  /** Forgets all that was admitted and not yet committed; it is never replied. */
  drop(): void {
    this.#admitted = [];
  }
}
