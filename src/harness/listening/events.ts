/** The events that listeners and watchers are given (J1, J3). */
import type { AssistantMessage, AssistantMessageEvent } from "@earendil-works/pi-ai";
import type { BranchSummaryEntry, Entry, UsageRow } from "../../durable/entries.ts";
import type { OperationResultRecord } from "../../durable/operation.ts";
import type { HarnessFault } from "../../errors.ts";

type WithoutPartial<E> = E extends { partial: unknown } ? Omit<E, "partial"> : never;

/** A provider event of a running stream without the growing message, so that its size does not grow (B6). */
export type StreamUpdate = Exclude<WithoutPartial<AssistantMessageEvent>, { type: "start" }>;

interface OfOperation {
  lane: string;
  operationId: string;
  /** Set when the event belongs to the settlement of an interrupted response (I4). */
  recovery?: true;
}

/** Of a summary, which no operation makes (H1). */
interface OfSummary {
  lane: string;
}

/** What a harness tells its listeners. Only `entry_added` proves that an entry is durable (J3). */
export type HarnessEvent =
  | (OfOperation & { type: "operation_start" })
  | (OfOperation & { type: "message_start"; message: AssistantMessage })
  | (OfOperation & { type: "message_update"; event: StreamUpdate })
  | (OfOperation & { type: "message_end"; message: AssistantMessage; entryId: string })
  | (OfOperation & { type: "entry_added"; entry: Entry })
  | (OfOperation & { type: "usage"; row: UsageRow })
  | (OfSummary & { type: "entry_added"; entry: BranchSummaryEntry })
  | (OfSummary & { type: "usage"; row: UsageRow })
  | (OfOperation & { type: "retry_scheduled"; attempt: number; notBefore: number })
  | (OfOperation & { type: "operation_cancel" })
  | (OfOperation & { type: "operation_end"; result: OperationResultRecord })
  | { type: "fault"; error: HarnessFault }
  | ListenerError;

/**
 * Code of the host threw: a listener, a hook whose value is then not used, or a provider that was asked to cancel remote
 * work, which nothing depends on (G4).
 */
export interface ListenerError {
  type: "listener_error";
  kind: "listener" | "hook" | "provider";
  error: unknown;
  /** The event whose delivery threw, or the name of the hook or provider call. */
  during: string;
}

/** Called with each event in order; the next one waits for the promise. */
export type Listener = (event: HarnessEvent) => void | Promise<void>;
