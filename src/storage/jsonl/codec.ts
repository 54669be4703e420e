/** One transaction as one line of JSON, and back (A9). */
import type { NumberedWrite } from "../contract/image.ts";
import { isSequenceNumber } from "../contract/sequence.ts";
import type { Write } from "../contract/writes.ts";

/** The line of one transaction, without its line feed: one object for a single write, else an array (A9). */
export function encodeTransaction(writes: readonly Write[], firstSeq: number, timestamp: number): string {
  const [first] = writes;
  if (writes.length === 1 && first !== undefined) return encodeWrite(first, firstSeq, timestamp);
  return `[${writes.map((write, index) => encodeWrite(write, firstSeq + index, timestamp)).join(",")}]`;
}

/** One write as it stands in a line. Only entries keep their timestamp. */
export function encodeWrite(write: Write, seq: number, timestamp: number): string {
  return JSON.stringify(write.kind === "entry" ? { seq, timestamp, ...write } : { seq, ...write });
}

/**
 * The writes of one line, whose own shape is for the state to judge.
 *
 * @throws {SyntaxError | TypeError} when the line is no transaction.
 */
export function decodeTransaction(line: string): NumberedWrite[] {
  const parsed: unknown = JSON.parse(line);
  const records: unknown[] = Array.isArray(parsed) ? parsed : [parsed];
  if (records.length === 0) throw new TypeError("a transaction without writes");
  return records.map(numberedWrite);
}

function numberedWrite(record: unknown): NumberedWrite {
  if (typeof record !== "object" || record === null) throw new TypeError("a write that is no object");
  const { seq, timestamp = 0, kind } = record as Record<string, unknown>;
  if (!isSequenceNumber(seq)) throw new TypeError("a write without a sequence number");
  const hasTimestamp = typeof timestamp === "number" && (kind !== "entry" || "timestamp" in record);
  if (!hasTimestamp) throw new TypeError("an entry without a timestamp");
  return { seq, timestamp, write: record as Write };
}
