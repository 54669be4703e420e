/** When a session file is worth a rewrite (A10). */
import type { MemoryState } from "../memory/state.ts";

/** Bytes. Less than this is not worth a second file and its sync. */
export const defaultCompactAfter = 1024 * 1024;

/** @throws {TypeError} unless it is a number of bytes above 0. */
export function requireCompactAfter(bytes: number): void {
  if (typeof bytes === "number" && bytes > 0) return;
  throw new TypeError(`compactAfter must be a number of bytes above 0, or Infinity, not ${String(bytes)}`);
}

/** How a session file came to be as it is. */
export interface FileHistory {
  /** The bytes that the last compaction left. */
  readonly left: number;
  /** The writes that stand in the file, with those that later ones have undone. */
  readonly writes: number;
}

/**
 * Says when a session file is worth a rewrite: it has grown by `after` bytes and by as much as the last compaction left,
 * and more than half of its writes are undone. So all rewrites together cost no more than all appends.
 */
export class Garbage {
  readonly #after: number;
  readonly #state: MemoryState;
  #left: number;
  /** What the state's next number is ahead of the writes in the file. */
  #ahead: number;

  constructor(after: number, state: MemoryState, { left, writes }: FileHistory) {
    this.#after = after;
    this.#state = state;
    this.#left = left;
    this.#ahead = state.nextSeq - writes;
  }

  /** @param size the bytes of the file. */
  isWorthARewrite(size: number): boolean {
    if (size - this.#left < Math.max(this.#after, this.#left)) return false;
    const writes = this.#state.nextSeq - this.#ahead;
    return writes > 2 * this.#state.liveWrites;
  }

  /** The file holds what is live, in `size` bytes. */
  rewritten(size: number): void {
    this.#left = size;
    this.#ahead = this.#state.nextSeq - this.#state.liveWrites;
  }
}
