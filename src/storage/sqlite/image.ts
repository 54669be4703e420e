/** Reads the image of an SQLite session from a copy of its own (L2, A11). */
import type { Database, Statement } from "better-sqlite3";
import type { NewEntry, NewUsageRow } from "../../durable/entries.ts";
import { StorageFailed } from "../../errors.ts";
import { imagePageSize, type SessionImage, type Survivor } from "../contract/image.ts";
import { assertOrder } from "./damaged-row.ts";
import { decodeElement, decodeEntry, decodeUsage, decodeValue } from "./decode.ts";
import { isStorageFailure } from "./module.ts";

/** A row of any table: the columns that its kind does not have are null. */
interface ImageRow {
  readonly seq: number;
  readonly kind: "entry" | "usage" | "value" | "list";
  readonly id: string;
  readonly parent_id: string;
  readonly timestamp: number;
  readonly type: string;
  readonly custom_type: string | null;
  readonly namespace: string;
  readonly key: string;
  readonly content: string;
}

type Bounds = { from: number; to: number; limit: number };

type Ask = <T>(query: () => T) => T;

let images = 0;

/**
 * The image of an SQLite session. Entries and usage rows never change, so that a bound on their numbers keeps the moment;
 * values and list elements do, and are copied to a temporary table, which is on the disk and no part of the session.
 */
export class SqliteImage implements SessionImage {
  readonly nextSeq: number;
  readonly #database: Database;
  readonly #table: string;
  readonly #ask: Ask;
  readonly #page: Statement<[Bounds], ImageRow>;

  /** @param ask runs a read of the open store. */
  constructor(database: Database, ask: Ask) {
    this.#database = database;
    this.#ask = ask;
    this.#table = `temp.image_${++images}`;
    this.nextSeq = this.#query(() => this.#freeze());
    this.#page = database.prepare(pageOf(this.#table));
  }

  async *pages(): AsyncGenerator<readonly Survivor[]> {
    for (let from = 1; ; ) {
      const bounds = { from, to: this.nextSeq, limit: imagePageSize };
      const page = this.#ask(() => this.#query(() => this.#read(bounds)));
      const last = page.at(-1);
      if (last === undefined) return;
      yield page;
      from = last.seq + 1;
    }
  }

  #read(bounds: Bounds): Survivor[] {
    const rows = this.#page.all(bounds);
    assertOrder("image", rows, "asc", bounds.from - 1);
    return rows.map(survivorOf);
  }

  /** Drops the copy. With the handle it is gone anyway. */
  release(): void {
    if (this.#database.open) this.#query(() => this.#database.exec(`DROP TABLE IF EXISTS ${this.#table}`));
  }

  #freeze(): number {
    this.#database.exec(`CREATE TABLE ${this.#table} (
      seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, namespace TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL
    ) STRICT`);
    try {
      this.#database.exec(`INSERT INTO ${this.#table}
        SELECT seq, 'value', namespace, key, value FROM stored_values
        UNION ALL SELECT seq, 'list', namespace, key, value FROM list_elements`);
      return this.#database.prepare<[], number>("SELECT next_seq FROM session").pluck().get() as number;
    } catch (error) {
      this.release();
      throw error;
    }
  }

  /** A copy that finds no room is no failure of the session, which goes on. */
  #query<T>(query: () => T): T {
    try {
      return query();
    } catch (error) {
      throw isStorageFailure(error) ? new StorageFailed(this.#database.name, error) : error;
    }
  }
}

/** One walk along three primary keys, merged: no sort. */
export const pageOf = (table: string) => `
  SELECT seq, 'entry' AS kind, id, parent_id, timestamp, type, custom_type, NULL AS namespace, NULL AS key,
    payload AS content FROM main.entries WHERE seq >= @from AND seq < @to
  UNION ALL
  SELECT seq, 'usage', id, NULL, 0, NULL, NULL, NULL, NULL, payload FROM main.usage_rows WHERE seq >= @from AND seq < @to
  UNION ALL
  SELECT seq, kind, NULL, NULL, 0, NULL, NULL, namespace, key, value FROM ${table} WHERE seq >= @from AND seq < @to
  ORDER BY seq LIMIT @limit`;

function survivorOf(row: ImageRow): Survivor {
  return { seq: row.seq, timestamp: row.timestamp, write: writeOf(row) };
}

function writeOf(row: ImageRow): Survivor["write"] {
  const { kind, seq, namespace, key, content } = row;
  if (kind === "entry") return { kind, entry: entryOf(row) };
  if (kind === "usage") return { kind, row: usageOf(row) };
  if (kind === "list")
    return { kind, op: "append", namespace, key, value: decodeElement({ seq, value: content }).value };
  return { kind, op: "set", namespace, key, value: decodeValue(namespace, { key, seq, value: content }).value };
}

function entryOf({ content: payload, ...row }: ImageRow): NewEntry {
  const { seq: _seq, timestamp: _timestamp, ...entry } = decodeEntry({ ...row, payload });
  return entry as NewEntry;
}

function usageOf({ content: payload, ...row }: ImageRow): NewUsageRow {
  const { seq: _seq, ...usage } = decodeUsage({ ...row, payload });
  return usage;
}
