/** The contract that every store keeps (section A). */
import type { Usage } from "@earendil-works/pi-ai";
import type { Value, ValueList } from "../../addresses/address.ts";
import type { Entry, EntryStructure, EntryType, UsageRow } from "../../durable/entries.ts";
import type { ListReadOptions } from "./list-options.ts";
import type { Write } from "./writes.ts";

/** A value as it is stored. */
export interface StoredValue<T> {
  address: Value<T>;
  value: T;
  /** The number of the write that set it. */
  seq: number;
}

/** An element of a list. */
export interface ListElement<T> {
  /** The number of the write that appended it. */
  seq: number;
  value: T;
}

/** Totals of a session. */
export interface SessionStats {
  messageCount: number;
  usage: Usage;
}

/** What a transaction was given (A3). */
export interface CommitResult {
  /** The number of its first write, or of the next one when it has none. */
  firstSeq: number;
  /** One number for each write, in order. */
  seqs: number[];
  /** In milliseconds since the epoch. */
  timestamp: number;
  /** Totals of the session just after this transaction. */
  stats: SessionStats;
}

/** A walk from `start` towards the root. The entry that stops it is part of it; filters apply after stops. */
export interface BranchScan {
  start: string;
  stopAtType?: EntryType;
  stopAtId?: string;
  type?: EntryType;
  customType?: string;
  /** Default: newestFirst. */
  order?: "newestFirst" | "oldestFirst";
  limit?: number;
  /** Exclusive. */
  cursor?: { seq: number };
}

/** A scan in sequence order; both bounds are inclusive. */
export interface UsageScan {
  fromSeq?: number;
  toSeq?: number;
  /** Default: asc. */
  order?: "asc" | "desc";
  limit?: number;
}

/** A scan of entries in sequence order, with filters. */
export interface EntryScan extends UsageScan {
  type?: EntryType;
  customType?: string;
}

/**
 * What a replied commit survives. `process`: the death of this process, since its bytes are with the operating system.
 * `power`: a loss of power too, since they are on the disk.
 */
export type Durability = "process" | "power";

/**
 * The contract of a store (section A), type-compatible with pi-agent-core's. The last parameter of each call is that
 * package's context, which stores here ignore.
 */
export interface Storage {
  /**
   * Lands all writes or none, under the next numbers (A3, A4).
   *
   * @throws {StorageRejected} nothing has landed, and the store stays usable.
   * @throws {StorageFailed} it may have landed, and the store is to be opened again (A13).
   */
  commit(writes: Write[], context?: unknown): Promise<CommitResult>;
  /** The entries of these ids; an unknown id is left out. */
  getEntries(ids: string[], context?: unknown): Promise<Map<string, Entry>>;
  /** A value, or `undefined` when none is set. */
  getValue<T>(address: Value<T>, context?: unknown): Promise<StoredValue<T> | undefined>;
  /** The values of one namespace whose keys begin with the key of `prefix`, in code-point order (A7). */
  scanValues<T>(prefix: Value<T>, context?: unknown): Promise<StoredValue<T>[]>;
  /** One page of a list (A6). @throws {TypeError} when the limit is no positive safe integer. */
  readList<T>(
    address: ValueList<T>,
    options?: ListReadOptions | undefined,
    context?: unknown,
  ): Promise<ListElement<T>[]>;
  /** A walk along a branch. @throws {StorageRejected} `missing_entry`, when it leads nowhere. */
  scanBranch(query: BranchScan, context?: unknown): Promise<Entry[]>;
  /** As `scanBranch`, without payloads. */
  scanBranchStructure(query: BranchScan, context?: unknown): Promise<EntryStructure[]>;
  /** Entries in sequence order. */
  scanEntries(query: EntryScan, context?: unknown): Promise<Entry[]>;
  /** Usage rows in sequence order. */
  scanUsage(query: UsageScan, context?: unknown): Promise<UsageRow[]>;
  /** Totals of the session. */
  getStats(context?: unknown): Promise<SessionStats>;
  /** Refuses every later call, lets commits land that were handed over, and lets go of the session (A12). Idempotent. */
  close(context?: unknown): Promise<void>;
}
