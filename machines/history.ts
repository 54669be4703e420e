/**
 * The history of one run as facts: what landed, what was announced, what was asked of the surroundings. Invariants and
 * race rows judge it without knowing how it was obtained.
 */
import type { At, Call, CallOutcome, CommitName, LifecycleEvent, OperationEvent } from "./vocabulary.ts";

/** One transaction that became durable. */
export interface LandingFact {
  readonly commit: CommitName | "internal";
  /** Frame lists by key (`operationId:responseEntryId`). */
  readonly appended: readonly { readonly list: string; readonly element: unknown }[];
  readonly deleted: readonly string[];
  /** Assistant responses that became entries. */
  readonly responses: readonly { readonly id: string; readonly stop: string; readonly toolCalls: number }[];
  readonly usage: readonly { readonly id: string; readonly entryId: string | undefined }[];
  /** Whether the transaction set the next operation state, planned tools, or ended the operation. */
  readonly decides: boolean;
  readonly plansTools: boolean;
  /** The operation whose result it wrote. */
  readonly ends: string | undefined;
  /** What is open after it. */
  readonly operationId: string | undefined;
  readonly responseEntryId: string | undefined;
  /** Frame lists that hold an element after it. */
  readonly listsLeft: readonly string[];
}

/** One event of the provider's stream, as far as a frame can mirror it. */
export interface ProviderFact {
  readonly type: string;
  readonly contentIndex: number | undefined;
}

export interface SnapshotFact {
  readonly hasPartial: boolean;
  readonly transcriptIds: readonly string[];
}

export interface HistoryStep {
  readonly event: OperationEvent;
  readonly landings: readonly LandingFact[];
  readonly events: readonly { readonly name: LifecycleEvent; readonly recovery: boolean; readonly entryId?: string }[];
  readonly calls: readonly { readonly call: Call; readonly outcome: CallOutcome }[];
  readonly requests: readonly {
    readonly response: string;
    /** Stop reasons of the assistant messages in the request's context. */
    readonly contextStops: readonly string[];
  }[];
  readonly provider: readonly ProviderFact[];
  readonly snapshots: readonly SnapshotFact[];
  readonly hooks: number;
  readonly tools: number;
  readonly durable: {
    readonly at: At | `unknown: ${string}`;
    readonly control: "running" | "cancelled";
    readonly listed: number;
  };
  /** The response that the durable state reserves, if it is pending. */
  readonly pendingResponse: string | undefined;
  readonly atStore: readonly CommitName[];
  /** Calls whose promises the application still holds, one name for each promise. */
  readonly openCalls: readonly (Call | "snapshot")[];
  /** Whether the specification has the lane idle after this step, with a process up. */
  readonly idle: boolean;
}

export type History = readonly HistoryStep[];
