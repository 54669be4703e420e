import type { Message, SimpleStreamOptions, ThinkingLevel } from "@earendil-works/pi-ai";
import type { JsonValue } from "./json.ts";

// Shapes of the values at built-in addresses, as pi-agent-core 0.87.1 declares them (A2).

export interface LaneConfiguration {
  model: { provider: string; modelId: string };
  thinkingLevel: "off" | ThinkingLevel;
  activeToolNames: string[];
}

export interface InboxItem {
  entryId: string;
  kind: "steer" | "followUp" | "nextRun" | "write";
}

export interface LaneState {
  currentOperationId: string | null;
  lastOperationId: string | null;
  inbox: InboxItem[];
}

type OperationIntent =
  | { kind: "run"; promptEntryIds: string[] }
  | { kind: "compaction"; customInstructions?: string }
  | {
      kind: "navigation";
      targetId: string | null;
      summarize: boolean;
      label?: string;
      customInstructions?: string;
    };

export interface OperationMeta {
  operationId: string;
  lane: string;
  sourceTipId: string | null;
  startedAt: number;
  intent: OperationIntent;
}

export interface OperationError {
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
  fromTipId: string | null;
  tipId: string | null;
  startedAt: number;
  endedAt: number;
}

export type PendingEntry =
  | { type: "message"; payload: Message }
  | { type: "custom"; customType: string; payload?: JsonValue };

/** Request options captured with a generation. */
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
