/** What is written once and stays: the entries of the session tree and the rows of the usage ledger (A4). */
import type { Message, Usage } from "@earendil-works/pi-ai";
import type { JsonValue } from "./json.ts";

/** What kind of entry it is. */
export type EntryType = "message" | "compaction" | "branch_summary" | "custom";

interface EntryBase {
  /** Unique in the session, among entries and usage rows. */
  id: string;
  /** The entry before it on its branch; `null` at the root. */
  parentId: string | null;
  /** The sequence number that its transaction gave it. */
  seq: number;
  /** When it was committed, in milliseconds since the epoch. */
  timestamp: number;
  type: EntryType;
  /** The application's own kind. */
  customType?: string;
}

/** One message of the transcript. */
export interface MessageEntry extends EntryBase {
  type: "message";
  message: Message;
  /** Set by pi-agent-core on a tool result that ends the run. Not written here. */
  terminate?: true;
}

/** A summary that stands for the messages before it. Read, and not written here. */
export interface CompactionEntry extends EntryBase {
  type: "compaction";
  summary: string;
  /** The latest messages, which were kept as they are. */
  retainedTail: Message[];
  /** The size of the context before, in tokens. */
  tokensBefore: number;
  details?: JsonValue;
  usage?: Usage;
  fromHook: boolean;
}

/** A summary of a branch, made by `Lane.summarize` (H1) or by pi-agent-core. */
export interface BranchSummaryEntry extends EntryBase {
  type: "branch_summary";
  /** The tip of the branch that was summarized. */
  fromId: string | null;
  summary: string;
  details?: JsonValue;
  usage?: Usage;
  fromHook: boolean;
}

/** An entry of the application. */
export interface CustomEntry extends EntryBase {
  type: "custom";
  customType: string;
  data?: JsonValue;
}

/** A write-once node of the session tree (A4). */
export type Entry = MessageEntry | CompactionEntry | BranchSummaryEntry | CustomEntry;

/** An entry to be inserted: the store gives it its sequence number and its timestamp. */
export type NewEntry<TEntry extends Entry = Entry> = TEntry extends Entry ? Omit<TEntry, "seq" | "timestamp"> : never;

/** An entry without its payload. */
export type EntryStructure = EntryBase;

/** One write-once row of the usage ledger (A4). */
export interface UsageRow {
  /** Unique in the session, among entries and usage rows. */
  id: string;
  /** The sequence number that its transaction gave it. */
  seq: number;
  /** Tokens, and their cost. */
  usage: Usage;
  /** The response that used it. */
  entryId?: string;
  /** Whether it corrects an earlier row. */
  adjustment: boolean;
  details?: JsonValue;
}

/** A usage row to be inserted: the store gives it its sequence number. */
export type NewUsageRow = Omit<UsageRow, "seq">;
