/** Choices that a seed decides: the same on every machine (mulberry32). */
export class Random {
  #state: number;

  /** Different parts give different sequences, in whatever order they are counted up. */
  constructor(...parts: readonly number[]) {
    this.#state = parts.reduce((state, part) => Math.imul(state ^ part, 0x9e37_79b1) + 0x7f4a_7c15, 1) >>> 0;
  }

  /** From 0 up to 1, which it never is. */
  next(): number {
    this.#state = (this.#state + 0x6d2b_79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 up to `limit`, which it never is. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }
}
