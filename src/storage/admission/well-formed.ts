/** Refuses writes that a store could not read back (A8). */
import { addressDefect } from "../../addresses/address.ts";
import type { EntryType } from "../../durable/entries.ts";
import { StorageRejected } from "../../errors.ts";
import type { Write } from "../contract/writes.ts";

const entryTypes: ReadonlySet<string> = new Set<EntryType>(["message", "compaction", "branch_summary", "custom"]);
const usageParts = ["input", "output", "cacheRead", "cacheWrite", "totalTokens"];
const costParts = ["input", "output", "cacheRead", "cacheWrite", "total"];

/** @throws {StorageRejected} `malformed_write`, also when one of the writes is. */
export function assertTransaction(writes: readonly Write[]): void {
  if (!Array.isArray(writes)) throw new StorageRejected("malformed_write", "A transaction must be an array of writes");
  for (const write of writes) assertWellFormed(write);
}

/**
 * Refuses a write that some store could not read back: what one store accepts, every store keeps (A8).
 * The content of messages and values is not checked.
 */
export function assertWellFormed(write: Write): void {
  assertObject(write, "it");
  switch (write.kind) {
    case "entry":
      assertEntry(write.entry);
      break;
    case "usage":
      assertUsageRow(write.row);
      break;
    case "value":
    case "list":
      assertAddress(write);
      assertOp(write.op, write.kind === "value" ? "set" : "append");
      break;
    default:
      throw malformed("no known kind");
  }
}

function assertAddress({ namespace, key }: { namespace: string; key: string }): void {
  assertString(namespace, "namespace");
  assertString(key, "key");
  const defect = addressDefect(namespace, key);
  if (defect !== undefined) throw malformed(defect);
}

function assertOp(op: string, other: string): void {
  if (op !== "delete" && op !== other) throw malformed(`its op is neither "delete" nor "${other}"`);
}

function assertEntry(entry: unknown): void {
  assertObject(entry, "entry");
  assertString(entry.id, "entry.id");
  if (entry.parentId !== null) assertString(entry.parentId, "entry.parentId");
  if (entry.customType !== undefined) assertString(entry.customType, "entry.customType");
  if (typeof entry.type !== "string" || !entryTypes.has(entry.type)) throw malformed("no known entry.type");
}

function assertUsageRow(row: unknown): void {
  assertObject(row, "row");
  assertString(row.id, "row.id");
  if (row.entryId !== undefined) assertString(row.entryId, "row.entryId");
  if (typeof row.adjustment !== "boolean") throw malformed("row.adjustment is no boolean");
  const { usage } = row;
  assertObject(usage, "row.usage");
  assertNumbers(usage, usageParts, "row.usage");
  for (const part of ["cacheWrite1h", "reasoning"])
    if (usage[part] !== undefined) assertNumbers(usage, [part], "usage");
  assertObject(usage.cost, "row.usage.cost");
  assertNumbers(usage.cost, costParts, "row.usage.cost");
}

function assertObject(part: unknown, name: string): asserts part is Record<string, unknown> {
  if (typeof part !== "object" || part === null || Array.isArray(part)) throw malformed(`${name} is no object`);
}

function assertString(part: unknown, name: string): void {
  if (typeof part !== "string") throw malformed(`${name} is no string`);
}

function assertNumbers(holder: Record<string, unknown>, parts: readonly string[], name: string): void {
  const wrong = parts.find((part) => !Number.isFinite(holder[part]));
  if (wrong !== undefined) throw malformed(`${name}.${wrong} is no number`);
}

function malformed(what: string): StorageRejected {
  return new StorageRejected("malformed_write", `A write is malformed: ${what}`);
}
