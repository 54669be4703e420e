/** The image of a session: all that it holds at one moment, to be read page by page (L1, L2). */
import type { EntryWrite, ListAppendWrite, UsageWrite, ValueSetWrite, Write } from "./writes.ts";

/** One write with its place in the session. */
export interface NumberedWrite {
  readonly seq: number;
  /** Kept by entries alone; 0 where nobody reads it. */
  readonly timestamp: number;
  readonly write: Write;
}

/** One write that still counts, with the number and the timestamp that it was given once. */
export interface Survivor extends NumberedWrite {
  readonly write: EntryWrite | UsageWrite | ValueSetWrite | ListAppendWrite;
}

/** All that is left of a session at one moment, between two of its commits. */
export interface SessionImage {
  /** The number that the next write of the session would have got (A10). */
  readonly nextSeq: number;
  /** What is left, in pages and in the order of the numbers. Each call begins again, over the same moment. */
  pages(): AsyncIterable<readonly Survivor[]>;
}

/** A store that can show all it holds, which the calls of `Storage` cannot: they name the places that they read. */
export interface ImageSource {
  /**
   * Shows the session as it is just after the commits that were handed over before this call (A8). Later ones go on and
   * change nothing of the image, which ends with the promise of `use`.
   */
  withImage<T>(use: (image: SessionImage) => Promise<T>): Promise<T>;
}

/**
 * Makes a session that holds just what the image shows, under the same numbers: the door to a store for content that has
 * its numbers already. It comes into being whole or not at all, and never changes a session that is there.
 */
export type NewSession<T> = (image: SessionImage) => Promise<T>;

/** As the pages of a list (A6). */
export const imagePageSize = 1_000;
