/** The durable shapes of lanes and operations, as pi-agent-core 0.87.1 declares them (A2). */
import type { Message, SimpleStreamOptions, ThinkingLevel } from "@earendil-works/pi-ai";
import type { JsonValue } from "./json.ts";

/** The model and settings of a lane. */
export interface LaneConfiguration {
  model: { provider: string; modelId: string };
  thinkingLevel: "off" | ThinkingLevel;
  activeToolNames: string[];
}

/** Input that waits for its operation. This package keeps it and does not use it. */
export interface InboxItem {
  entryId: string;
  kind: "steer" | "followUp" | "nextRun" | "write";
}

/** Which operation a lane has open, and which it had last (O1). */
export interface LaneState {
  /** `null` on an idle lane. */
  currentOperationId: string | null;
  lastOperationId: string | null;
  inbox: InboxItem[];
}

/** What an operation is for. Only a run is driven here. */
export type OperationIntent =
  | { kind: "run"; promptEntryIds: string[] }
  | { kind: "compaction"; customInstructions?: string }
  | {
      kind: "navigation";
      targetId: string | null;
      summarize: boolean;
      label?: string;
      customInstructions?: string;
    };

/** What an operation was accepted as (O1). It never changes. */
export interface OperationMeta {
  operationId: string;
  lane: string;
  /** The tip of the lane before the prompt. */
  sourceTipId: string | null;
  /** When it was accepted, in milliseconds since the epoch. */
  startedAt: number;
  intent: OperationIntent;
}

/** Why an operation failed. */
export interface OperationError {
  /** For programs: `provider_error`, `attempts_exhausted`, `invalid_deferred`, `missing_tool_call`, `unknown_model`, or a host's own. */
  code: string;
  message: string;
  details?: JsonValue;
}

/** What became of an operation (O2). `declined` is never written here. */
export interface OperationResultRecord {
  operationId: string;
  kind: OperationIntent["kind"];
  status: "completed" | "declined" | "aborted" | "failed";
  error?: OperationError;
  /** The tip of the lane before the operation. */
  fromTipId: string | null;
  /** The tip of the lane at its end. */
  tipId: string | null;
  /** In milliseconds since the epoch. */
  startedAt: number;
  /** In milliseconds since the epoch. */
  endedAt: number;
}

/** Content that is kept under an entry id until it is inserted. */
export type PendingEntry =
  | { type: "message"; payload: Message }
  | { type: "custom"; customType: string; payload?: JsonValue };

/** Request options captured with a generation. Times are in milliseconds. */
export interface StreamOptions {
  transport?: NonNullable<SimpleStreamOptions["transport"]>;
  timeoutMs?: number;
  maxRetries?: number;
  maxRetryDelayMs?: number;
  headers?: Record<string, string>;
  metadata?: Record<string, unknown>;
  cacheRetention?: NonNullable<SimpleStreamOptions["cacheRetention"]>;
  deferred?: boolean | { window?: "15m" | "1h" | "24h" };
}

/** When a failed attempt is made again; captured with a generation, whose attempts all follow it (O4, D5). */
export interface RetryPolicy {
  /** Counts the first attempt. */
  maxAttempts: number;
  /** The delay before the second attempt, in milliseconds. Doubles with each further attempt. */
  baseDelayMs: number;
  /** No delay is longer, in milliseconds. */
  maxAgentDelayMs: number;
}
