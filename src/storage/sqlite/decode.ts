/** Turns rows of the tables into entries, usage rows, values and elements. */
import { value as valueAddress } from "../../addresses/address.ts";
import type { Entry, EntryStructure, NewEntry, UsageRow } from "../../durable/entries.ts";
import { assertWellFormed } from "../admission/well-formed.ts";
import { isSequenceNumber } from "../contract/sequence.ts";
import type { ListElement, StoredValue } from "../contract/storage.ts";
import { insertEntry, insertUsage } from "../contract/writes.ts";
import { decoded } from "./damaged-row.ts";
import type { ContentRow, EntryRow, KeyedRow, StructureRow, UsageRecord } from "./statements.ts";
import { fromText } from "./text.ts";

// SQLite vouches for neither the texts in a file nor, when its pages are damaged, the types and the order of what it
// answers. Each of these throws `DamagedRow` for what no store wrote.

export function decodeStructure(row: StructureRow): EntryStructure {
  return decoded("entries", row.seq, () => structureOf(row));
}

export function decodeEntry(row: EntryRow): Entry {
  return decoded("entries", row.seq, () => {
    const entry = { ...objectFrom(row.payload), ...structureOf(row) };
    return Object.freeze(entry) as Entry;
  });
}

export function decodeUsage({ seq, id, payload }: UsageRecord): UsageRow {
  return decoded("usage_rows", seq, () => {
    const row = Object.freeze({ ...objectFrom(payload), id: fromText<string>(id), seq: numberFrom(seq) }) as UsageRow;
    assertWellFormed(insertUsage(row));
    return row;
  });
}

export function decodeElement<T>({ seq, value }: ContentRow): ListElement<T> {
  return decoded("list_elements", seq, () => Object.freeze({ seq: numberFrom(seq), value: fromText<T>(value) }));
}

export function decodeValue<T>(namespace: string, { key, seq, value }: KeyedRow): StoredValue<T> {
  return decoded("stored_values", seq, () => {
    if (typeof key !== "string") throw new TypeError("its key is no text");
    return { address: valueAddress<T>(namespace, key), value: fromText<T>(value), seq: numberFrom(seq) };
  });
}

function structureOf(row: StructureRow): EntryStructure {
  const structure = {
    id: fromText<string>(row.id),
    parentId: fromText<string | null>(row.parent_id),
    seq: numberFrom(row.seq),
    timestamp: row.timestamp,
    type: row.type,
    ...(row.custom_type === null ? {} : { customType: fromText<string>(row.custom_type) }),
  } as EntryStructure;
  assertWellFormed(insertEntry(structure as NewEntry));
  if (typeof structure.timestamp !== "number") throw new TypeError("its timestamp is no number");
  return Object.freeze(structure);
}

function objectFrom(text: string): object {
  const content = fromText<unknown>(text);
  if (typeof content !== "object" || content === null || Array.isArray(content)) throw new TypeError("no object");
  return content;
}

function numberFrom(seq: unknown): number {
  if (!isSequenceNumber(seq)) throw new TypeError("it has no sequence number");
  return seq;
}
