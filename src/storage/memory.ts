import type { Value, ValueList } from "../addresses/address.ts";
import type { Entry, EntryStructure, UsageRow } from "../durable/entries.ts";
import { StorageClosed } from "../errors.ts";
import { scanBranchEntries, structureOf } from "./branch-scan.ts";
import type { ListReadOptions } from "./list-options.ts";
import { MemoryState } from "./memory-state.ts";
import { passesFilters, scanRange } from "./sequence.ts";
import type {
  BranchScan,
  CommitResult,
  EntryScan,
  ListElement,
  SessionStats,
  Storage,
  StoredValue,
  UsageScan,
} from "./storage.ts";
import type { Write } from "./writes.ts";

export interface MemoryStorageOptions {
  /** The source of commit timestamps. Default: `Date.now`. */
  now?: () => number;
}

/**
 * The store that keeps nothing beyond the process (A3 to A8, A12). A commit is applied within the call and replied
 * through its promise. What it returns is deeply frozen.
 */
export class MemoryStorage implements Storage {
  readonly #state = new MemoryState();
  readonly #now: () => number;
  #closed = false;

  constructor(options: MemoryStorageOptions = {}) {
    this.#now = options.now ?? Date.now;
  }

  async commit(writes: Write[]): Promise<CommitResult> {
    return this.#open().apply(writes, this.#now());
  }

  async getEntries(ids: string[]): Promise<Map<string, Entry>> {
    const state = this.#open();
    const found = ids.map((id) => state.entry(id)).filter((entry) => entry !== undefined);
    return new Map(found.map((entry) => [entry.id, entry]));
  }

  async getValue<T>(address: Value<T>): Promise<StoredValue<T> | undefined> {
    return this.#open().value(address);
  }

  async scanValues<T>(prefix: Value<T>): Promise<StoredValue<T>[]> {
    return this.#open().valuesWithPrefix(prefix);
  }

  async readList<T>(address: ValueList<T>, options?: ListReadOptions): Promise<ListElement<T>[]> {
    return this.#open().page(address, options);
  }

  async scanBranch(query: BranchScan): Promise<Entry[]> {
    const state = this.#open();
    return scanBranchEntries((id) => state.entry(id), query);
  }

  async scanBranchStructure(query: BranchScan): Promise<EntryStructure[]> {
    const state = this.#open();
    return scanBranchEntries((id) => state.entry(id), query).map(structureOf);
  }

  async scanEntries(query: EntryScan): Promise<Entry[]> {
    return scanRange(this.#open().entries, query, (entry) => passesFilters(entry, query));
  }

  async scanUsage(query: UsageScan): Promise<UsageRow[]> {
    return scanRange(this.#open().usage, query);
  }

  async getStats(): Promise<SessionStats> {
    return this.#open().stats;
  }

  /** Stops admission. Admitted commits are already applied, so there is nothing to wait for (A12). */
  async close(): Promise<void> {
    this.#closed = true;
  }

  #open(): MemoryState {
    if (this.#closed) throw new StorageClosed();
    return this.#state;
  }
}
