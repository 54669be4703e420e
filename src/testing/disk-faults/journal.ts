/** Remembers every transaction on its way to a store. */
import type { CommitResult, Storage } from "../../storage/contract/storage.ts";
import type { Write } from "../../storage/contract/writes.ts";
import { wrapStorage } from "../../storage/wrap-storage.ts";

/** Stands in front of a store and remembers every transaction that was handed to it, and how many it replied. */
export class Journal {
  /** All of them, in the order in which they were handed over. */
  readonly transactions: Write[][] = [];
  readonly storage: Storage;
  /** The number of the last one that was replied, counted from 1: all up to there must be in the session. */
  acknowledged = 0;
  /** Runs in front of a transaction that is handed over while none is on its way. */
  onGroup: () => void = () => {};
  #onItsWay = 0;
  #waiting: (() => void)[] = [];

  constructor(inner: Storage) {
    this.storage = wrapStorage(inner, { commit: (writes) => this.#commit(inner, writes) });
  }

  /** Resolves when no transaction is on its way. */
  async idle(): Promise<void> {
    if (this.#onItsWay > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  async #commit(inner: Storage, writes: Write[]): Promise<CommitResult> {
    if (this.#onItsWay === 0) this.onGroup();
    const count = this.transactions.push(structuredClone(writes));
    this.#onItsWay++;
    try {
      const result = await inner.commit(writes);
      this.acknowledged = Math.max(this.acknowledged, count);
      return result;
    } finally {
      if (--this.#onItsWay === 0) for (const tell of this.#waiting.splice(0)) tell();
    }
  }
}
