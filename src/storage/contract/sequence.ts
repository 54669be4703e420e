/** Sequence numbers: what is one, and scans in their order (A3). */
import type { EntryScan, UsageScan } from "./storage.ts";

interface Numbered {
  readonly seq: number;
}

/** Bounded well below the safe integers, so that there is always a next number. */
export function isSequenceNumber(candidate: unknown): candidate is number {
  return Number.isSafeInteger(candidate) && (candidate as number) >= 1 && (candidate as number) <= 2 ** 52;
}

/** The index of the first element whose number is at least `seq`, in a list that is ordered by number. */
export function firstAtLeast(elements: readonly Numbered[], seq: number): number {
  let low = 0;
  let high = elements.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const element = elements[middle];
    if (element !== undefined && element.seq < seq) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A scan over rows in sequence order, by inclusive bounds. */
export function scanRange<T extends Numbered>(
  rows: readonly T[],
  query: UsageScan,
  accept: (row: T) => boolean = () => true,
): T[] {
  const from = query.fromSeq === undefined ? 0 : firstAtLeast(rows, query.fromSeq);
  const to = query.toSeq === undefined ? rows.length : firstAtLeast(rows, query.toSeq + 1);
  const found = rows.slice(from, to).filter(accept);
  if (query.order === "desc") found.reverse();
  return query.limit === undefined ? found : found.slice(0, query.limit);
}

/** Whether an entry passes the filters of a scan. */
export function passesFilters(row: { type: string; customType?: string }, query: EntryScan): boolean {
  if (query.type !== undefined && row.type !== query.type) return false;
  return query.customType === undefined || row.customType === query.customType;
}
