/** A queue for the line, fast at both ends. */
interface Link<T> {
  readonly item: T;
  next: Link<T> | undefined;
}

/** A queue whose ends cost the same at any length; thousands of frames may wait in it. */
export class Fifo<T> {
  #head: Link<T> | undefined;
  #tail: Link<T> | undefined;

  peek(): T | undefined {
    return this.#head?.item;
  }

  push(item: T): void {
    const link: Link<T> = { item, next: undefined };
    if (this.#tail === undefined) this.#head = link;
    else this.#tail.next = link;
    this.#tail = link;
  }

  shift(): T | undefined {
    const head = this.#head;
    if (head === undefined) return undefined;
    this.#head = head.next;
    if (this.#head === undefined) this.#tail = undefined;
    return head.item;
  }
}
