/** What the reply of a transaction adds to the rows that it inserted: their numbers, and the time of the entries (A3, A4). */
import type { NewEntry, NewUsageRow, UsageRow } from "../../durable/entries.ts";
import type { CommitResult } from "./storage.ts";

/** The number that a transaction gave to its write at `index`. */
export function seqOf({ seqs, firstSeq }: CommitResult, index: number): number {
  return seqs[index] ?? firstSeq + index;
}

/** The entry that the write at `index` has inserted. */
export function landedEntry<E extends NewEntry>(
  entry: E,
  commit: CommitResult,
  index: number,
): E & { seq: number; timestamp: number } {
  return { ...entry, seq: seqOf(commit, index), timestamp: commit.timestamp };
}

/** The usage row that the write at `index` has inserted. */
export function landedRow(row: NewUsageRow, commit: CommitResult, index: number): UsageRow {
  return { ...row, seq: seqOf(commit, index) };
}
