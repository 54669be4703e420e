/** The writes that a transaction is made of (A3, A5). */
import type { Value, ValueList } from "../../addresses/address.ts";
import type { NewEntry, NewUsageRow } from "../../durable/entries.ts";

/** Inserts an entry. See {@link insertEntry}. */
export interface EntryWrite {
  kind: "entry";
  entry: NewEntry;
}

/** Inserts a usage row. See {@link insertUsage}. */
export interface UsageWrite {
  kind: "usage";
  row: NewUsageRow;
}

/** Sets a value. See {@link setValue}. */
export interface ValueSetWrite {
  kind: "value";
  op: "set";
  namespace: string;
  key: string;
  value: unknown;
}

/** Deletes a value. See {@link deleteValue}. */
export interface ValueDeleteWrite {
  kind: "value";
  op: "delete";
  namespace: string;
  key: string;
}

/** Appends to a list. See {@link appendList}. */
export interface ListAppendWrite {
  kind: "list";
  op: "append";
  namespace: string;
  key: string;
  value: unknown;
}

/** Deletes a list. See {@link deleteList}. */
export interface ListDeleteWrite {
  kind: "list";
  op: "delete";
  namespace: string;
  key: string;
}

/** One write of a transaction (A3). */
export type Write = EntryWrite | UsageWrite | ValueSetWrite | ValueDeleteWrite | ListAppendWrite | ListDeleteWrite;

/** Inserts a write-once entry (A4). */
export function insertEntry(entry: NewEntry): EntryWrite {
  return { kind: "entry", entry };
}

/** Inserts a write-once usage row (A4). */
export function insertUsage(row: NewUsageRow): UsageWrite {
  return { kind: "usage", row };
}

/** Sets or replaces a value. */
export function setValue<T>(address: Value<T>, next: NoInfer<T>): ValueSetWrite {
  return { kind: "value", op: "set", namespace: address.namespace, key: address.key, value: next };
}

/** Deletes a value; an absent one stays absent. */
export function deleteValue<T>(address: Value<T>): ValueDeleteWrite {
  return { kind: "value", op: "delete", namespace: address.namespace, key: address.key };
}

/** Appends one element without reading the list (A5). */
export function appendList<T>(address: ValueList<T>, element: NoInfer<T>): ListAppendWrite {
  return { kind: "list", op: "append", namespace: address.namespace, key: address.key, value: element };
}

/** Deletes all elements; an absent list stays absent (A5). */
export function deleteList<T>(address: ValueList<T>): ListDeleteWrite {
  return { kind: "list", op: "delete", namespace: address.namespace, key: address.key };
}
