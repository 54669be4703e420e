/**
 * The durable state of an open operation. It alone selects where a restart goes on (N1). Shapes of pi-agent-core
 * 0.87.1 (A2).
 */
import type { LaneConfiguration, RetryPolicy, StreamOptions } from "./operation.ts";

/** Whether the operation was cancelled (F1), and when, in milliseconds since the epoch. */
export type Control = { status: "running" } | { status: "cancel_requested"; requestedAt: number };

/** Settings of a run, kept for pi-agent-core. This package goes by `toolExecution` alone. */
export interface RunSettings {
  compaction: { enabled: boolean; reserveTokens: number; keepRecentTokens: number };
  steeringMode: "all" | "one-at-a-time";
  followUpMode: "all" | "one-at-a-time";
  toolExecution: "sequential" | "parallel";
}

/** What every state carries. */
export interface OperationScope {
  control: Control;
  settings: RunSettings;
  /** The latest response of the operation. */
  latestAssistantEntryId: string | null;
}

/** What one assistant generation was asked with; it stays the same over its attempts. */
export interface GenerationContext {
  /** Names the generation over all of its attempts. */
  stepId: string;
  /** The entry that asks for an answer: the prompt, or the last tool result. */
  triggerEntryId: string;
  configuration: LaneConfiguration;
  streamOptions: StreamOptions;
  retryPolicy: RetryPolicy;
  overflowRecoveryUsed: boolean;
}

/** An attempt may begin (O1, R8). */
export interface AssistantReady extends OperationScope {
  at: "assistant.ready";
  generationContext: GenerationContext;
  /** Counted from 1. */
  nextAttempt: number;
}

/** An attempt has reserved its response. After a restart it is recovered (E2 to E5). */
export interface AssistantEffectPending extends OperationScope {
  at: "assistant.effect_pending";
  generationContext: GenerationContext;
  /** Counted from 1. */
  attempt: number;
  /** The id that the response will have. */
  responseEntryId: string;
  /** The id that its usage row will have. */
  usageId: string;
  /** In tokens. */
  intendedOutputLimit: number;
  /** In tokens. */
  contextWindow: number;
  /** The API of the model at intent, for a recovery without a start frame (E4). An addition to pi's shape. */
  api?: string;
}

/** An attempt has failed, and the next one waits for its time (O4). */
export interface AssistantRetryWait extends OperationScope {
  at: "assistant.retry_wait";
  generationContext: GenerationContext;
  nextAttempt: number;
  /** In milliseconds since the epoch. */
  notBefore: number;
  errorMessage: string;
}

/** What follows a checkpoint. */
export type Continuation =
  | { kind: "need_assistant"; overflowRecoveryUsed: boolean }
  | { kind: "may_finish"; includeFinalAssistant: boolean };

/** The response is settled; the operation may end. */
export interface Checkpoint extends OperationScope {
  at: "checkpoint";
  continuation: Continuation;
  triggerEntryId: string;
}

/** Where a call stands among others, and the id that its result will have. */
interface CallPlace {
  /** Index in the complete content of the assistant message. */
  sourceIndex: number;
  resultEntryId: string;
}

/** A call that was not started. */
export interface PlannedCall extends CallPlace {
  status: "planned";
}

/** A call that was marked before it started. After a restart nobody knows how it ended (Q1). */
export interface MarkedCall extends CallPlace {
  status: "effect_pending";
  /** Whether it may be made again when its outcome is unknown. */
  replay: "never" | "safe";
  /** How often it was marked, this time included; one when absent. An addition to pi's shape. */
  runs?: number;
}

/** A call whose result is durable: held back until those of all earlier calls are, or an entry of the transcript. */
export interface FinishedCall extends CallPlace {
  status: "outcome_ready" | "completed";
  /** Kept for pi-agent-core. This package writes `false`. */
  terminate: boolean;
}

/** One call of a batch, as far as it has come (Q1). */
export type BatchCall = PlannedCall | MarkedCall | FinishedCall;

/** The calls of one response (N10). */
export interface ToolBatch {
  assistantEntryId: string;
  configuration: LaneConfiguration;
  turnId: string;
  calls: BatchCall[];
}

/** A tool batch is planned and not all of its results are in. After a restart its finished calls keep theirs (Q1). */
export interface Tools extends OperationScope {
  at: "tools";
  batch: ToolBatch;
}

interface DeferredScope extends OperationScope {
  stepId: string;
  /** The newest deferred response, whose handle the next poll asks with. */
  sourceEntryId: string;
  /** The number of the latest poll: 0 before the first. */
  poll: number;
  configuration: LaneConfiguration;
  streamOptions: StreamOptions;
}

/** The response is deferred: a poll needs a permit (G2). */
export interface DeferredSuspended extends DeferredScope {
  at: "deferred.suspended";
}

/** A poll has reserved its response. After a restart it is unknown until it is replaced (G3) or settled (F3). */
export interface DeferredEffectPending extends DeferredScope {
  at: "deferred.effect_pending";
  responseEntryId: string;
  usageId: string;
  /** The API of the model at intent, which the next handle must name too (D5). An addition to pi's shape. */
  api?: string;
}

/** A state in which a deferred response is not ready, as far as is known. */
export type DeferredState = DeferredSuspended | DeferredEffectPending;

/** A state in which a response is reserved and not settled. */
export type EffectPending = AssistantEffectPending | DeferredEffectPending;

/** The state of an open operation: the one thing that a restart goes by (N1). */
export type OperationState =
  | AssistantReady
  | EffectPending
  | AssistantRetryWait
  | Checkpoint
  | Tools
  | DeferredSuspended;

/** The response that a state reserves, when it reserves one. */
export function pendingResponse(state: OperationState): EffectPending | undefined {
  return state.at === "assistant.effect_pending" || state.at === "deferred.effect_pending" ? state : undefined;
}

/** Whether cancellation landed (F1). */
export function isCancelled(scope: OperationScope): boolean {
  return scope.control.status === "cancel_requested";
}

/** The common part of a state, for its successor. */
export function scopeOf(state: OperationState): OperationScope {
  return {
    control: state.control,
    settings: state.settings,
    latestAssistantEntryId: state.latestAssistantEntryId,
  };
}
