/** The content of a session in memory, for the memory store and the JSONL store. */
import type { Value, ValueList } from "../../addresses/address.ts";
import { value as valueAddress } from "../../addresses/address.ts";
import { frameNamespace } from "../../addresses/builtins.ts";
import type { Entry, UsageRow } from "../../durable/entries.ts";
import { StorageRejected } from "../../errors.ts";
import { type KnownIds, prepareWrites } from "../admission/prepare.ts";
import type { NumberedWrite, Survivor } from "../contract/image.ts";
import { type ListReadOptions, resolveListReadOptions } from "../contract/list-options.ts";
import { firstAtLeast } from "../contract/sequence.ts";
import type { CommitResult, ListElement, SessionStats, StoredValue } from "../contract/storage.ts";
import { addUsage, zeroUsage } from "../contract/usage-totals.ts";
import type { Write } from "../contract/writes.ts";
import { AddressMap, type Place } from "./address-map.ts";
import { compareCodePoints } from "./code-points.ts";

interface Stored {
  readonly seq: number;
  readonly value: unknown;
}

/** The content of one session, held in memory. All that it gives out is frozen. */
export class MemoryState implements KnownIds {
  readonly entries: Entry[] = [];
  readonly usage: UsageRow[] = [];
  readonly #entriesById = new Map<string, Entry>();
  readonly #usageIds = new Set<string>();
  readonly #values = new AddressMap<Stored>();
  readonly #lists = new AddressMap<Stored[]>();
  #nextSeq = 1;
  #liveWrites = 0;
  #stats: SessionStats = Object.freeze({ messageCount: 0, usage: Object.freeze(zeroUsage()) });

  get stats(): SessionStats {
    return this.#stats;
  }

  isTaken(id: string): boolean {
    return this.#entriesById.has(id) || this.#usageIds.has(id);
  }

  isEntry(id: string): boolean {
    return this.#entriesById.has(id);
  }

  entry(id: string): Entry | undefined {
    return this.#entriesById.get(id);
  }

  /** The number that the next write gets. */
  get nextSeq(): number {
    return this.#nextSeq;
  }

  /** How many writes make this state again: the length of {@link survivors}. */
  get liveWrites(): number {
    return this.#liveWrites;
  }

  /** Whether there are frames of a response that is not settled. */
  get isStreaming(): boolean {
    return this.#lists.keysOf(frameNamespace).size > 0;
  }

  /** Applies all writes, or throws and applies none (A3, A4). */
  apply(writes: readonly Write[], timestamp: number): CommitResult {
    return this.applyPrepared(prepareWrites(writes, this), timestamp);
  }

  /** Applies what {@link prepareWrites} has checked and copied. */
  applyPrepared(prepared: readonly Write[], timestamp: number): CommitResult {
    const firstSeq = this.#nextSeq;
    const seqs = prepared.map((write) => {
      const seq = this.#nextSeq++;
      this.#applyOne(write, seq, timestamp);
      return seq;
    });
    return { firstSeq, seqs, timestamp, stats: this.#stats };
  }

  /**
   * Applies one transaction of a log, under the numbers that it was given once.
   *
   * @throws {StorageRejected} as {@link prepareWrites}, or `stale_sequence`; nothing is applied then.
   */
  replay(transaction: readonly NumberedWrite[]): void {
    let next = this.#nextSeq;
    for (const { seq } of transaction) {
      if (seq < next) throw new StorageRejected("stale_sequence", `Number ${seq} comes where ${next} is the least`);
      next = seq + 1;
    }
    const prepared = prepareWrites(
      transaction.map(({ write }) => write),
      this,
    );
    for (const [index, { seq, timestamp }] of transaction.entries()) {
      this.#applyOne(prepared[index] as Write, seq, timestamp);
    }
    this.#nextSeq = next;
  }

  /** Never gives a number below `nextSeq` from now on (A10). */
  reserveBelow(nextSeq: number): void {
    this.#nextSeq = Math.max(this.#nextSeq, nextSeq);
  }

  /** The writes that make this state again, in the order of their numbers (A10). */
  survivors(): Survivor[] {
    const found: Survivor[] = this.entries.map(({ seq, timestamp, ...entry }) => ({
      seq,
      timestamp,
      write: { kind: "entry", entry },
    }));
    for (const { seq, ...row } of this.usage) found.push({ seq, timestamp: 0, write: { kind: "usage", row } });
    this.#values.forEach(({ seq, value }, namespace, key) => {
      found.push({ seq, timestamp: 0, write: { kind: "value", op: "set", namespace, key, value } });
    });
    this.#lists.forEach((elements, namespace, key) => {
      for (const { seq, value } of elements) {
        found.push({ seq, timestamp: 0, write: { kind: "list", op: "append", namespace, key, value } });
      }
    });
    return found.sort((left, right) => left.seq - right.seq);
  }

  value<T>(address: Value<T>): StoredValue<T> | undefined {
    const stored = this.#values.get(address);
    return stored === undefined ? undefined : storedValue(address, stored);
  }

  /** One namespace's values by key prefix, in code-point order (A7). */
  valuesWithPrefix<T>(prefix: Value<T>): StoredValue<T>[] {
    return [...this.#values.keysOf(prefix.namespace)]
      .filter(([key]) => key.startsWith(prefix.key))
      .sort(([left], [right]) => compareCodePoints(left, right))
      .map(([key, stored]) => storedValue(valueAddress<T>(prefix.namespace, key), stored));
  }

  /** One page, found by binary search and copied: its cost does not depend on the length of the list (A6). */
  page<T>(address: ValueList<T>, options: ListReadOptions | undefined): ListElement<T>[] {
    const { cursor, order, limit } = resolveListReadOptions(options);
    const elements = this.#lists.get(address) ?? [];
    return (order === "asc" ? pageUp(elements, cursor, limit) : pageDown(elements, cursor, limit)) as ListElement<T>[];
  }

  #applyOne(write: Write, seq: number, timestamp: number): void {
    switch (write.kind) {
      case "entry":
        this.#addEntry(Object.freeze({ ...write.entry, seq, timestamp }));
        break;
      case "usage":
        this.#addUsage(Object.freeze({ ...write.row, seq }));
        break;
      case "value":
        if (this.#values.get(write) !== undefined) this.#liveWrites--;
        if (write.op === "delete") this.#values.delete(write);
        else this.#setValue(write, { seq, value: write.value });
        break;
      case "list":
        if (write.op === "delete") this.#deleteList(write);
        else this.#append(write, Object.freeze({ seq, value: write.value }));
        break;
    }
  }

  #setValue(place: Place, stored: Stored): void {
    this.#values.set(place, stored);
    this.#liveWrites++;
  }

  #deleteList(place: Place): void {
    this.#liveWrites -= this.#lists.get(place)?.length ?? 0;
    this.#lists.delete(place);
  }

  #addEntry(entry: Entry): void {
    this.#liveWrites++;
    this.entries.push(entry);
    this.#entriesById.set(entry.id, entry);
    if (entry.type !== "message") return;
    this.#stats = Object.freeze({ ...this.#stats, messageCount: this.#stats.messageCount + 1 });
  }

  #addUsage(row: UsageRow): void {
    this.#liveWrites++;
    this.usage.push(row);
    this.#usageIds.add(row.id);
    this.#stats = Object.freeze({ ...this.#stats, usage: Object.freeze(addUsage(this.#stats.usage, row.usage)) });
  }

  #append(place: Place, element: Stored): void {
    this.#liveWrites++;
    const elements = this.#lists.get(place);
    if (elements === undefined) this.#lists.set(place, [element]);
    else elements.push(element);
  }
}

function storedValue<T>(address: Value<T>, stored: Stored): StoredValue<T> {
  return { address, value: stored.value as T, seq: stored.seq };
}

function pageUp(elements: readonly Stored[], cursor: { seq: number } | undefined, limit: number): Stored[] {
  const from = cursor === undefined ? 0 : firstAtLeast(elements, cursor.seq + 1);
  return elements.slice(from, from + limit);
}

function pageDown(elements: readonly Stored[], cursor: { seq: number } | undefined, limit: number): Stored[] {
  const to = cursor === undefined ? elements.length : firstAtLeast(elements, cursor.seq);
  return elements.slice(Math.max(0, to - limit), to).reverse();
}
