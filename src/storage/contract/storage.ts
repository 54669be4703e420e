import type { Usage } from "@earendil-works/pi-ai";
import type { Value, ValueList } from "../../addresses/address.ts";
import type { Entry, EntryStructure, EntryType, UsageRow } from "../../durable/entries.ts";
import type { ListReadOptions } from "./list-options.ts";
import type { Write } from "./writes.ts";

export interface StoredValue<T> {
  address: Value<T>;
  value: T;
  seq: number;
}

export interface ListElement<T> {
  seq: number;
  value: T;
}

export interface SessionStats {
  messageCount: number;
  usage: Usage;
}

/** What a transaction was given (A3). */
export interface CommitResult {
  firstSeq: number;
  seqs: number[];
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
  commit(writes: Write[], context?: unknown): Promise<CommitResult>;
  getEntries(ids: string[], context?: unknown): Promise<Map<string, Entry>>;
  getValue<T>(address: Value<T>, context?: unknown): Promise<StoredValue<T> | undefined>;
  scanValues<T>(prefix: Value<T>, context?: unknown): Promise<StoredValue<T>[]>;
  readList<T>(
    address: ValueList<T>,
    options?: ListReadOptions | undefined,
    context?: unknown,
  ): Promise<ListElement<T>[]>;
  scanBranch(query: BranchScan, context?: unknown): Promise<Entry[]>;
  scanBranchStructure(query: BranchScan, context?: unknown): Promise<EntryStructure[]>;
  scanEntries(query: EntryScan, context?: unknown): Promise<Entry[]>;
  scanUsage(query: UsageScan, context?: unknown): Promise<UsageRow[]>;
  getStats(context?: unknown): Promise<SessionStats>;
  close(context?: unknown): Promise<void>;
}
