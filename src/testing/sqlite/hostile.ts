/** Random changes by somebody who knows SQL and means harm. */
import type { Database } from "better-sqlite3";
import fc from "fast-check";

const nested = (open: string, close: string, levels: number) => open.repeat(levels) + close.repeat(levels);

/** Texts that somebody may put where a store put JSON. */
const texts: readonly (string | Buffer)[] = [
  "",
  "null",
  "true",
  "7",
  '""',
  "[]",
  "{}",
  "{",
  "1e999",
  '"\\ud800"',
  '"\\u0000"',
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"toString":1,"valueOf":1,"toJSON":1,"then":1}',
  '{"id":"other","seq":-1,"type":"custom","parentId":"x","timestamp":"y"}',
  '{"messageCount":"x","usage":null}',
  '{"messageCount":1,"usage":{"cost":{}}}',
  nested("[", "]", 1_000),
  nested("[", "]", 1_001),
  nested("[", "]", 100_000),
  "[".repeat(100_000),
  `"${"x".repeat(200_000)}"`,
  // No UTF-8, and zero bytes within a text.
  Buffer.from([0xff]),
  Buffer.from([0x22, 0xc3, 0x22]),
  Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
  Buffer.from([0x22, 0x61, 0, 0x62, 0x22]),
  Buffer.from([0, 0, 0]),
];

const numbers = [0n, 1n, 3n, -1n, 5_000n, 2n ** 53n, 2n ** 62n, -(2n ** 63n)];

const textColumns = {
  entries: ["id", "parent_id", "type", "custom_type", "payload"],
  usage_rows: ["id", "payload"],
  stored_values: ["namespace", "key", "value"],
  list_elements: ["namespace", "key", "value"],
  session: ["stats"],
};
const numberColumns = {
  entries: ["seq", "timestamp"],
  usage_rows: ["seq"],
  stored_values: ["seq"],
  list_elements: ["seq"],
  session: ["next_seq"],
};

type Columns = Readonly<Record<string, readonly string[]>>;

const oneOf = (columns: Columns) =>
  fc.constantFrom(...Object.entries(columns).flatMap(([table, names]) => names.map((name) => ({ table, name }))));

/** The row of a table, counted from 0 in the order of the numbers. */
const row = (table: string, nth: number): string =>
  table === "session" ? "true" : `seq = (SELECT seq FROM ${table} ORDER BY seq LIMIT 1 OFFSET ${nth})`;

/** A change of a session by somebody who knows SQL and means no good. */
export type Change = (database: Database) => unknown;

const setText = fc
  .tuple(oneOf(textColumns), fc.nat(4), fc.oneof(fc.constantFrom(...texts), fc.json()))
  .map(([{ table, name }, nth, text]): Change => {
    const sql = `UPDATE OR IGNORE ${table} SET ${name} = CAST(? AS TEXT) WHERE ${row(table, nth)}`;
    return (database) => database.prepare(sql).run(Buffer.from(text));
  });

const setNumber = fc
  .tuple(oneOf(numberColumns), fc.nat(4), fc.constantFrom(...numbers))
  .map(([{ table, name }, nth, number]): Change => {
    const sql = `UPDATE OR IGNORE ${table} SET ${name} = ? WHERE ${row(table, nth)}`;
    return (database) => database.prepare(sql).run(number);
  });

/** Any entry becomes the parent of any other, or of itself. */
const setParent = fc.tuple(fc.nat(5), fc.nat(5)).map(([child, parent]): Change => {
  const sql = `UPDATE entries SET parent_id = (SELECT id FROM entries WHERE ${row("entries", parent)})
    WHERE ${row("entries", child)}`;
  return (database) => database.exec(sql);
});

/** The table lets in any type, and has it. */
const setType = fc
  .tuple(oneOf(textColumns), fc.nat(4), fc.constantFrom("NULL", "X'00ff'", "1.5", "7", "'[]'"))
  .map(([{ table, name }, nth, literal]): Change => {
    const sql = `CREATE TABLE weak AS SELECT * FROM ${table}; DROP TABLE ${table}; ALTER TABLE weak RENAME TO ${table};
      UPDATE ${table} SET ${name} = ${literal} WHERE ${row(table, nth)};`;
    return (database) => database.exec(sql);
  });

export const hostileChange: fc.Arbitrary<Change> = fc.oneof(
  { weight: 6, arbitrary: setText },
  { weight: 2, arbitrary: setNumber },
  { weight: 1, arbitrary: setParent },
  { weight: 2, arbitrary: setType },
);
