/** Checks a whole transaction and copies its content before any of it is applied (A4). */
import { frozenCopy } from "../../durable/json.ts";
import { StorageRejected } from "../../errors.ts";
import type { Write } from "../contract/writes.ts";
import { assertDepth } from "./depth.ts";
import { assertTransaction } from "./well-formed.ts";

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
  assertTransaction(writes);
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
  if (write.kind === "entry") return { kind: "entry", entry: contentOf(write.entry) };
  if (write.kind === "usage") return { kind: "usage", row: contentOf(write.row) };
  const { namespace, key } = write;
  if (write.op === "delete") return { kind: write.kind, op: "delete", namespace, key };
  const value = contentOf(write.value);
  if (write.kind === "value") return { kind: "value", op: "set", namespace, key, value };
  return { kind: "list", op: "append", namespace, key, value };
}

function contentOf<T>(source: T): T {
  assertDepth(source);
  return frozenCopy(source);
}

function claimId(id: string, known: KnownIds, taken: Set<string>): void {
  if (known.isTaken(id) || taken.has(id)) throw new StorageRejected("duplicate_id", `The id ${id} is already taken`);
  taken.add(id);
}

function requireParent(parentId: string | null, known: KnownIds, entries: ReadonlySet<string>): void {
  if (parentId === null || known.isEntry(parentId) || entries.has(parentId)) return;
  throw new StorageRejected("missing_parent", `There is no entry ${parentId} to be a parent`);
}
