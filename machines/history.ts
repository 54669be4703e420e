/**
 * The history of one run as facts: what landed, what was announced, what was asked of the surroundings. Invariants and
 * race rows judge it without knowing how it was obtained.
 */
import type { At, Call, CallOutcome, CommitName, LifecycleEvent, OperationEvent, ToolPlan } from "./vocabulary.ts";

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
  /** Tool calls, by the ids of their blocks: planned by it, marked by it, and those that have a result since. */
  readonly tools: {
    readonly planned: readonly string[];
    readonly marked: readonly string[];
    readonly finished: readonly { readonly call: string; readonly tool: string; readonly failed: boolean }[];
  };
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

/** A snapshot as the application got it. */
export interface SnapshotFact {
  readonly hasPartial: boolean;
  /** Whether it lacks something of the live stream that a listener had been given before (I1). */
  readonly behind: boolean;
  readonly transcriptIds: readonly string[];
}

/** One lifecycle event as a listener was told of it. */
export interface AnnouncedFact {
  readonly name: LifecycleEvent;
  readonly recovery: boolean;
  /** The entry that `entry_added` announces, or that `message_end` names. */
  readonly entryId?: string;
  /** The operation whose end `operation_end` announces. */
  readonly operationId?: string;
  /** Everything that it said, as text. */
  readonly content?: string;
}

/** What became of one watcher: it was asked for, got its snapshot, or was told of an event. In the order of occurrence. */
export type WatcherFact =
  /** `slow`: once called, its callback does not return. */
  | { readonly kind: "asked"; readonly watcher: number; readonly slow: boolean }
  | {
      readonly kind: "subscribed";
      readonly watcher: number;
      readonly transcriptIds: readonly string[];
      /** The operation that the snapshot shows open. */
      readonly operationId: string | undefined;
    }
  | { readonly kind: "told"; readonly watcher: number; readonly event: AnnouncedFact };

/** What listeners beside the application's own got and did (I5, J4). */
export interface AudienceFact {
  readonly watched: readonly WatcherFact[];
  /** Whether the application's own listener has been called and has not returned: what comes after waits behind it. */
  readonly held: boolean;
  /** How often a listener threw; at a report of such a throw it throws as well, which does not count. */
  readonly throws: number;
  /** How often the harness reported that a listener threw. */
  readonly reports: number;
  /** What somebody was given that another listener had changed, or that changed after it was given. */
  readonly altered: readonly string[];
}

/** One step of a run: the event, and all that was seen of it. */
export interface HistoryStep {
  readonly event: OperationEvent;
  readonly landings: readonly LandingFact[];
  readonly events: readonly AnnouncedFact[];
  readonly audience: AudienceFact;
  readonly calls: readonly { readonly call: Call; readonly outcome: CallOutcome }[];
  readonly requests: readonly {
    readonly response: string;
    /** Stop reasons of the assistant messages in the request's context. */
    readonly contextStops: readonly string[];
    /** The calls whose results are in its context, one for each result. */
    readonly results: readonly string[];
  }[];
  /** Responses for which a deferred one was polled, with the handle that was used. */
  readonly polls: readonly { readonly response: string; readonly handle: string }[];
  /** Handles that the provider was asked to give up. */
  readonly remoteCancels: readonly string[];
  readonly provider: readonly ProviderFact[];
  readonly snapshots: readonly SnapshotFact[];
  readonly hooks: number;
  /** Tool calls that were started, and whether their tool is declared safe to repeat. */
  readonly tools: readonly { readonly call: string; readonly tool: string; readonly repeatable: boolean }[];
  readonly durable: {
    readonly at: At | `unknown: ${string}`;
    readonly control: "running" | "cancelled";
    /** Number of the poll under way, or of the last one, while a response is deferred. */
    readonly poll: number;
    readonly listed: number;
    readonly plan: ToolPlan | "refuse" | null;
  };
  /** The response that the durable state reserves, if it is pending. */
  readonly pendingResponse: string | undefined;
  readonly atStore: readonly CommitName[];
  /** Calls whose promises the application still holds, one name for each promise. */
  readonly openCalls: readonly (Call | "snapshot")[];
  /** Whether the specification has the lane idle or suspended after this step, nothing under way, with a process up. */
  readonly resting: boolean;
}

/** The steps of one run, in order. */
export type History = readonly HistoryStep[];
