/** Answers a walk along a branch, for the stores that find entries by id. */
import type { Entry, EntryStructure } from "../../durable/entries.ts";
import { StorageRejected } from "../../errors.ts";
import type { BranchScan } from "./storage.ts";

/** Answers a branch scan over entries found by id. Stops come before filters, the cursor before the limit. */
export function scanBranchEntries(find: (id: string) => Entry | undefined, query: BranchScan): Entry[] {
  const found: Entry[] = [];
  const limit = query.limit ?? Number.POSITIVE_INFINITY;
  for (const entry of branchInOrder(find, query)) {
    if (found.length >= limit) break;
    if (matches(entry, query)) found.push(entry);
    if (entry.id === query.stopAtId || entry.type === query.stopAtType) break;
  }
  return found;
}

/** The part of an entry that a structure scan returns. */
export function structureOf(entry: Entry): EntryStructure {
  const { id, parentId, seq, timestamp, type } = entry;
  const structure = { id, parentId, seq, timestamp, type };
  return Object.freeze(entry.customType === undefined ? structure : { ...structure, customType: entry.customType });
}

function branchInOrder(find: (id: string) => Entry | undefined, query: BranchScan): Iterable<Entry> {
  const path = towardsRoot(find, query.start);
  return query.order === "oldestFirst" ? [...path].reverse() : path;
}

function* towardsRoot(find: (id: string) => Entry | undefined, start: string): Generator<Entry> {
  let id: string | null = start;
  while (id !== null) {
    const entry = find(id);
    if (entry === undefined) throw new StorageRejected("missing_entry", `There is no entry ${id}`);
    yield entry;
    id = entry.parentId;
  }
}

function matches(entry: Entry, query: BranchScan): boolean {
  if (query.type !== undefined && entry.type !== query.type) return false;
  if (query.customType !== undefined && entry.customType !== query.customType) return false;
  if (query.cursor === undefined) return true;
  return query.order === "oldestFirst" ? entry.seq > query.cursor.seq : entry.seq < query.cursor.seq;
}
