/** The promises that the application still holds, and what an adapter may not answer. */
import type { Call } from "../../machines/index.ts";

/** What the application may wait for. */
export type Asked = Call | "snapshot";

/** What is told of a promise that settles, while the process that owes it is alive. */
interface Followed<T> {
  isAlive(): boolean;
  /** The harness has touched the world. */
  touched(): void;
  settled(value: T): void;
  rejected(error: unknown): void;
}

export class OpenPromises {
  readonly #pending = new Map<Asked, number>();
  /** Set when the adapter answers what no adapter may. */
  nonsense: string | undefined;

  /** How many promises of a kind are open. */
  count(what: Asked): number {
    return this.#pending.get(what) ?? 0;
  }

  /** The open promises, each by what was asked. */
  get open(): Asked[] {
    return [...this.#pending].flatMap(([what, count]) => new Array<Asked>(count).fill(what));
  }

  /** The process that owed them is gone. */
  clear(): void {
    this.#pending.clear();
  }

  follow<T>(what: Asked, promise: Promise<T>, { isAlive, touched, settled, rejected }: Followed<T>): void {
    if (typeof (promise as Partial<Promise<T>> | undefined)?.then !== "function") {
      this.nonsense = `the adapter answered ${what} with no promise`;
      return;
    }
    this.#pending.set(what, this.count(what) + 1);
    const done = (): boolean => {
      if (!isAlive()) return false;
      touched();
      this.#pending.set(what, (this.#pending.get(what) ?? 1) - 1);
      return true;
    };
    promise.then(
      (value) => {
        if (done()) settled(value);
      },
      (error: unknown) => {
        if (done()) rejected(error);
      },
    );
  }
}
