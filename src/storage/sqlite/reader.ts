/** Answers the reads of an SQLite session from its tables (A6 to A8). */
import type { Database } from "better-sqlite3";
import type { Value, ValueList } from "../../addresses/address.ts";
import type { Entry, EntryStructure, UsageRow } from "../../durable/entries.ts";
import { scanBranchEntries } from "../contract/branch-scan.ts";
import { type ListReadOptions, resolveListReadOptions } from "../contract/list-options.ts";
import type { BranchScan, EntryScan, ListElement, StoredValue, UsageScan } from "../contract/storage.ts";
import { assertOrder, DamagedRow } from "./damaged-row.ts";
import { decodeElement, decodeEntry, decodeStructure, decodeUsage, decodeValue } from "./decode.ts";
import { prepareReads, type RangeBinding, type ReadStatements } from "./statements.ts";
import { toText } from "./text.ts";

/** Answers every read from the tables, and holds nothing in memory. */
export class SqliteReader {
  readonly #statements: ReadStatements;

  constructor(database: Database) {
    this.#statements = prepareReads(database);
  }

  value<T>(address: Value<T>): StoredValue<T> | undefined {
    const row = this.#statements.value.get(address.namespace, address.key);
    if (row === undefined) return undefined;
    return { ...decodeValue<T>(address.namespace, { ...row, key: address.key }), address };
  }

  /** UTF-8 orders as code points do (A7). */
  valuesWithPrefix<T>({ namespace, key: prefix }: Value<T>): StoredValue<T>[] {
    return this.#statements.valuesWithPrefix.all({ namespace, prefix }).map((row) => decodeValue<T>(namespace, row));
  }

  page<T>({ namespace, key }: ValueList<T>, options: ListReadOptions | undefined): ListElement<T>[] {
    const { cursor, order, limit } = resolveListReadOptions(options);
    const first = order === "asc" ? (cursor?.seq ?? -1) : (cursor?.seq ?? Number.MAX_SAFE_INTEGER);
    const rows =
      order === "asc"
        ? this.#statements.pageUp.all(namespace, key, first + 1, limit)
        : this.#statements.pageDown.all(namespace, key, first, limit);
    assertOrder("list_elements", rows, order, first);
    return rows.map((row) => decodeElement<T>(row));
  }

  entry(id: string): Entry | undefined {
    const row = this.#statements.entry.get(toText(id));
    return row === undefined ? undefined : decodeEntry(row);
  }

  branch(query: BranchScan): Entry[] {
    const givesAllItWalks = query.type === undefined && query.customType === undefined && query.cursor === undefined;
    if (givesAllItWalks) return this.#walk(query, (id) => this.entry(id));
    return this.branchStructure(query).flatMap(({ id }) => this.entry(id) ?? []);
  }

  /** Reads no payload. */
  branchStructure(query: BranchScan): EntryStructure[] {
    return this.#walk(query, (id) => {
      const row = this.#statements.structure.get(toText(id));
      return row === undefined ? undefined : decodeStructure(row);
    });
  }

  #walk<T extends EntryStructure>(query: BranchScan, read: (id: string) => T | undefined): T[] {
    let child = Number.POSITIVE_INFINITY;
    const find = (id: string) => {
      const found = read(id);
      if (found === undefined) return undefined;
      // Otherwise a damaged branch might have no root.
      if (found.seq >= child) throw new DamagedRow("entries", child, new Error("its parent does not come before it"));
      child = found.seq;
      return found;
    };
    // The scan looks at nothing but the structure, and hands on what it was given.
    return scanBranchEntries(find as (id: string) => Entry | undefined, query) as EntryStructure[] as T[];
  }

  entries(query: EntryScan): Entry[] {
    const { entriesUp, entriesDown } = this.#statements;
    const { type = null, customType } = query;
    const filters = { type, customType: customType === undefined ? null : toText(customType) };
    const rows = (query.order === "desc" ? entriesDown : entriesUp).all({ ...rangeOf(query), ...filters });
    return firstOf(rows, query).map(decodeEntry);
  }

  usage(query: UsageScan): UsageRow[] {
    const { usageUp, usageDown } = this.#statements;
    const rows = (query.order === "desc" ? usageDown : usageUp).all(rangeOf(query));
    return firstOf(rows, query).map(decodeUsage);
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
