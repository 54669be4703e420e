/** Checks and numbers the transactions of a JSONL session before they reach the disk (A3, A4). */
import { StorageRejected } from "../../errors.ts";
import { type KnownIds, prepareWrites } from "../admission/prepare.ts";
import type { CommitResult } from "../contract/storage.ts";
import type { Write } from "../contract/writes.ts";
import type { MemoryState } from "../memory/state.ts";
import { encodeTransaction } from "./codec.ts";
import { greatestLine } from "./line-splitter.ts";

/** A transaction that is checked and numbered, on its way to the disk. */
export interface Admitted {
  /** Empty when there is nothing to write. */
  readonly line: string;
  readonly writes: readonly Write[];
  readonly timestamp: number;
}

/** Checks and numbers transactions in the order of their calls, over the state and over those still on their way. */
export class Admission implements KnownIds {
  readonly #state: MemoryState;
  readonly #onTheirWay = new Map<string, "entry" | "usage">();
  readonly #greatestLine: number;
  #nextSeq: number;

  constructor(state: MemoryState, greatest = greatestLine) {
    this.#state = state;
    this.#greatestLine = greatest;
    this.#nextSeq = state.nextSeq;
  }

  isTaken(id: string): boolean {
    return this.#onTheirWay.has(id) || this.#state.isTaken(id);
  }

  isEntry(id: string): boolean {
    return this.#onTheirWay.get(id) === "entry" || this.#state.isEntry(id);
  }

  /** @throws {StorageRejected} when the state refuses the transaction, which then uses no number (A4). */
  admit(writes: readonly Write[], timestamp: number): Admitted {
    const prepared = prepareWrites(writes, this);
    const line = this.#lineOf(prepared, timestamp);
    this.#nextSeq += prepared.length;
    for (const write of prepared) this.#note(write);
    return { line, writes: prepared, timestamp };
  }

  /** Makes a transaction visible, once it is durable. To be called in the order of admission. */
  landed({ writes, timestamp }: Admitted): CommitResult {
    for (const write of writes) {
      const id = rowIdOf(write);
      if (id !== undefined) this.#onTheirWay.delete(id);
    }
    return this.#state.applyPrepared(writes, timestamp);
  }

  #lineOf(writes: readonly Write[], timestamp: number): string {
    if (writes.length === 0) return "";
    const line = encodeOrUndefined(writes, this.#nextSeq, timestamp);
    if (line !== undefined && fits(line, this.#greatestLine)) return line;
    throw new StorageRejected("too_large", `A transaction must not take more than ${this.#greatestLine} bytes as JSON`);
  }

  #note(write: Write): void {
    const id = rowIdOf(write);
    if (id !== undefined) this.#onTheirWay.set(id, write.kind === "entry" ? "entry" : "usage");
  }
}

function rowIdOf(write: Write): string | undefined {
  if (write.kind === "entry") return write.entry.id;
  return write.kind === "usage" ? write.row.id : undefined;
}

/** `undefined` when the line would be longer than a string can be. */
export function encodeOrUndefined(writes: readonly Write[], firstSeq: number, timestamp: number): string | undefined {
  try {
    return encodeTransaction(writes, firstSeq, timestamp);
  } catch (error) {
    // The depth is bounded, so nothing but the length can be out of range.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** A UTF-16 unit takes at most three bytes, and most lines are so short that there is nothing to count. */
export function fits(line: string, greatest: number): boolean {
  return line.length * 3 <= greatest || Buffer.byteLength(line) <= greatest;
}
