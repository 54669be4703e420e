import { frozenCopy } from "../durable/json.ts";
import { StorageRejected } from "../errors.ts";
import type { Write } from "./writes.ts";

/** What a store knows of the ids that are taken. */
export interface KnownIds {
  isTaken(id: string): boolean;
  isEntry(id: string): boolean;
}

/**
 * Checks a whole transaction and copies its content, before anything of it is applied: a refusal therefore changes
 * nothing and uses no number (A4).
 */
export function prepareWrites(writes: readonly Write[], known: KnownIds): Write[] {
  if (writes.some(isRow)) checkRows(writes, known);
  return writes.map(isolate);
}

const isRow = ({ kind }: Write): boolean => kind === "entry" || kind === "usage";

function checkRows(writes: readonly Write[], known: KnownIds): void {
  const taken = new Set<string>();
  const entries = new Set<string>();
  for (const write of writes) {
    if (write.kind === "entry") {
      claimId(write.entry.id, known, taken);
      requireParent(write.entry.parentId, known, entries);
      entries.add(write.entry.id);
    } else if (write.kind === "usage") {
      claimId(write.row.id, known, taken);
    }
  }
}

function isolate(write: Write): Write {
  switch (write.kind) {
    case "entry":
      return { kind: "entry", entry: frozenCopy(write.entry) };
    case "usage":
      return { kind: "usage", row: frozenCopy(write.row) };
    default:
      return write.op === "delete" ? write : { ...write, value: frozenCopy(write.value) };
  }
}

function claimId(id: string, known: KnownIds, taken: Set<string>): void {
  if (known.isTaken(id) || taken.has(id)) throw new StorageRejected("duplicate_id", `The id ${id} is already taken`);
  taken.add(id);
}

function requireParent(parentId: string | null, known: KnownIds, entries: ReadonlySet<string>): void {
  if (parentId === null || known.isEntry(parentId) || entries.has(parentId)) return;
  throw new StorageRejected("missing_parent", `There is no entry ${parentId} to be a parent`);
}
