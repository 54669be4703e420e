import type { Database } from "better-sqlite3";
import { type Value, type ValueList, value as valueAddress } from "../../addresses/address.ts";
import type { Entry, EntryStructure, EntryType, UsageRow } from "../../durable/entries.ts";
import { scanBranchEntries } from "../branch-scan.ts";
import { type ListReadOptions, resolveListReadOptions } from "../list-options.ts";
import type { BranchScan, EntryScan, ListElement, StoredValue, UsageScan } from "../storage.ts";
import {
  type EntryRow,
  prepareReads,
  type RangeBinding,
  type ReadStatements,
  type StructureRow,
} from "./statements.ts";
import { fromText, toText } from "./text.ts";

/** Answers every read from the tables, and holds nothing in memory. */
export class SqliteReader {
  readonly #statements: ReadStatements;

  constructor(database: Database) {
    this.#statements = prepareReads(database);
  }

  value<T>(address: Value<T>): StoredValue<T> | undefined {
    const row = this.#statements.value.get(address.namespace, address.key);
    return row === undefined ? undefined : { address, value: fromText<T>(row.value), seq: row.seq };
  }

  /** UTF-8 orders as code points do (A7). */
  valuesWithPrefix<T>({ namespace, key: prefix }: Value<T>): StoredValue<T>[] {
    return this.#statements.valuesWithPrefix
      .all({ namespace, prefix })
      .map(({ key, seq, value }) => ({ address: valueAddress<T>(namespace, key), value: fromText<T>(value), seq }));
  }

  page<T>({ namespace, key }: ValueList<T>, options: ListReadOptions | undefined): ListElement<T>[] {
    const { cursor, order, limit } = resolveListReadOptions(options);
    const rows =
      order === "asc"
        ? this.#statements.pageUp.all(namespace, key, cursor === undefined ? 0 : cursor.seq + 1, limit)
        : this.#statements.pageDown.all(namespace, key, cursor?.seq ?? Number.MAX_SAFE_INTEGER, limit);
    return rows.map(({ seq, value }) => Object.freeze({ seq, value: fromText<T>(value) }));
  }

  entry(id: string): Entry | undefined {
    const row = this.#statements.entry.get(toText(id));
    return row === undefined ? undefined : entryOf(row);
  }

  branch(query: BranchScan): Entry[] {
    return this.branchStructure(query).flatMap(({ id }) => this.entry(id) ?? []);
  }

  /** Reads no payload. */
  branchStructure(query: BranchScan): EntryStructure[] {
    const find = (id: string) => {
      const row = this.#statements.structure.get(toText(id));
      return row === undefined ? undefined : structureOf(row);
    };
    // The scan looks at nothing but the structure, and hands on what it was given.
    return scanBranchEntries(find as (id: string) => Entry | undefined, query);
  }

  entries(query: EntryScan): Entry[] {
    const { entriesUp, entriesDown } = this.#statements;
    const { type = null, customType } = query;
    const filters = { type, customType: customType === undefined ? null : toText(customType) };
    const rows = (query.order === "desc" ? entriesDown : entriesUp).all({ ...rangeOf(query), ...filters });
    return firstOf(rows, query).map(entryOf);
  }

  usage(query: UsageScan): UsageRow[] {
    const { usageUp, usageDown } = this.#statements;
    const rows = (query.order === "desc" ? usageDown : usageUp).all(rangeOf(query));
    return firstOf(rows, query).map(({ seq, id, payload }) =>
      Object.freeze({ ...fromText<Omit<UsageRow, "id" | "seq">>(payload), id: fromText<string>(id), seq }),
    );
  }
}

/** What the statement needs to read; a limit that is no count is left to `firstOf`. */
function rangeOf({ fromSeq = 0, toSeq, limit = -1 }: UsageScan): RangeBinding {
  const to = toSeq === undefined ? Number.MAX_SAFE_INTEGER : toSeq + 1;
  return { from: fromSeq, to, limit: Number.isSafeInteger(limit) ? limit : -1 };
}

/** Cuts as the memory store does, whatever the limit is (A8). */
function firstOf<T>(rows: T[], { limit }: UsageScan): T[] {
  return limit === undefined ? rows : rows.slice(0, limit);
}

function structureOf(row: StructureRow): EntryStructure {
  const structure = {
    id: fromText<string>(row.id),
    parentId: fromText<string | null>(row.parent_id),
    seq: row.seq,
    timestamp: row.timestamp,
    type: row.type as EntryType,
  };
  return Object.freeze(
    row.custom_type === null ? structure : { ...structure, customType: fromText<string>(row.custom_type) },
  );
}

function entryOf(row: EntryRow): Entry {
  return Object.freeze({ ...fromText<Partial<Entry>>(row.payload), ...structureOf(row) }) as Entry;
}
