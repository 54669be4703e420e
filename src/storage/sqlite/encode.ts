/** Turns the writes of a transaction into what the tables hold. */
import type { Usage } from "@earendil-works/pi-ai";
import { assertTransaction } from "../admission/well-formed.ts";
import { zeroUsage } from "../contract/usage-totals.ts";
import { type EntryWrite, insertEntry, insertUsage, type UsageWrite, type Write } from "../contract/writes.ts";
import { contentOf, toText } from "./text.ts";

interface Place {
  readonly namespace: string;
  readonly key: string;
}

/** One write in the form in which the tables hold it. */
export type EncodedWrite =
  | { readonly kind: "entry"; readonly row: EntryColumns; readonly isMessage: boolean }
  | { readonly kind: "usage"; readonly id: string; readonly payload: string; readonly usage: Usage }
  | ({ readonly kind: "set" | "append"; readonly text: string } & Place)
  | ({ readonly kind: "deleteValue" | "deleteList" } & Place);

/** The columns of an entry whose values the store does not give. */
interface EntryColumns {
  readonly id: string;
  readonly parentId: string;
  readonly type: string;
  readonly customType: string | null;
  readonly payload: string;
}

/** A transaction as it was at the call: nothing in it belongs to the caller any more. */
export interface EncodedTransaction {
  readonly timestamp: number;
  /** The ids that it takes and needs, without content. */
  readonly rows: readonly (EntryWrite | UsageWrite)[];
  /** Its writes, or why its content is refused. Ids are judged first, as in the other stores (A8). */
  readonly content: { readonly writes: readonly EncodedWrite[] } | { readonly refusal: unknown };
}

export function encodeTransaction(writes: readonly Write[], timestamp: number): EncodedTransaction {
  let rows: (EntryWrite | UsageWrite)[] = [];
  try {
    assertTransaction(writes);
    rows = writes.flatMap(withoutContent);
    return { timestamp, rows, content: { writes: writes.map(encodeWrite) } };
  } catch (refusal) {
    return { timestamp, rows, content: { refusal } };
  }
}

function withoutContent(write: Write): (EntryWrite | UsageWrite)[] {
  if (write.kind === "usage") return [insertUsage({ id: write.row.id, usage: zeroUsage(), adjustment: false })];
  if (write.kind !== "entry") return [];
  const { id, parentId } = write.entry;
  return [insertEntry({ id, parentId, type: "custom", customType: "" })];
}

/** @throws {StorageRejected} `too_deep` or `not_json`. */
export function encodeWrite(write: Write): EncodedWrite {
  switch (write.kind) {
    case "entry":
      return encodeEntry(write);
    case "usage":
      return encodeUsage(write);
    case "value":
      return write.op === "set" ? encodeContent("set", write) : { kind: "deleteValue", ...placeOf(write) };
    case "list":
      return write.op === "append" ? encodeContent("append", write) : { kind: "deleteList", ...placeOf(write) };
  }
}

function encodeEntry(write: EntryWrite): EncodedWrite {
  const { id, parentId, type, customType, ...payload } = contentOf(write.entry);
  const row = {
    id: toText(id),
    parentId: toText(parentId),
    type,
    customType: customType === undefined ? null : toText(customType),
    payload: JSON.stringify(payload),
  };
  return { kind: "entry", row, isMessage: type === "message" };
}

function encodeUsage(write: UsageWrite): EncodedWrite {
  const { id, ...payload } = contentOf(write.row);
  return { kind: "usage", id: toText(id), payload: JSON.stringify(payload), usage: payload.usage };
}

function encodeContent(kind: "set" | "append", write: Place & { readonly value: unknown }): EncodedWrite {
  return { kind, ...placeOf(write), text: toText(write.value) };
}

function placeOf({ namespace, key }: Place): Place {
  return { namespace, key };
}
