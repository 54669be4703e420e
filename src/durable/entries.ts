import type { Message, Usage } from "@earendil-works/pi-ai";
import type { JsonValue } from "./json.ts";

export type EntryType = "message" | "compaction" | "branch_summary" | "custom";

interface EntryBase {
  id: string;
  parentId: string | null;
  seq: number;
  timestamp: number;
  type: EntryType;
  customType?: string;
}

/** One message of the transcript. */
export interface MessageEntry extends EntryBase {
  type: "message";
  message: Message;
  terminate?: true;
}

export interface CompactionEntry extends EntryBase {
  type: "compaction";
  summary: string;
  retainedTail: Message[];
  tokensBefore: number;
  details?: JsonValue;
  usage?: Usage;
  fromHook: boolean;
}

export interface BranchSummaryEntry extends EntryBase {
  type: "branch_summary";
  fromId: string | null;
  summary: string;
  details?: JsonValue;
  usage?: Usage;
  fromHook: boolean;
}

export interface CustomEntry extends EntryBase {
  type: "custom";
  customType: string;
  data?: JsonValue;
}

/** A write-once node of the session tree (A4). */
export type Entry = MessageEntry | CompactionEntry | BranchSummaryEntry | CustomEntry;

/** An entry before the store gives it a sequence number and a timestamp. */
export type NewEntry<TEntry extends Entry = Entry> = TEntry extends Entry ? Omit<TEntry, "seq" | "timestamp"> : never;

/** An entry without its payload. */
export type EntryStructure = EntryBase;

/** One write-once row of the usage ledger (A4). */
export interface UsageRow {
  id: string;
  seq: number;
  usage: Usage;
  entryId?: string;
  adjustment: boolean;
  details?: JsonValue;
}

export type NewUsageRow = Omit<UsageRow, "seq">;
