import type { LaneConfiguration, RetryPolicy, StreamOptions } from "./operation.ts";

// The operation state alone selects the restart point (N1). Shapes are those of pi-agent-core 0.87.1 (A2).

export type Control = { status: "running" } | { status: "cancel_requested"; requestedAt: number };

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
  latestAssistantEntryId: string | null;
}

/** What one assistant generation was asked with; it stays the same over its attempts. */
export interface GenerationContext {
  stepId: string;
  triggerEntryId: string;
  configuration: LaneConfiguration;
  streamOptions: StreamOptions;
  retryPolicy: RetryPolicy;
  overflowRecoveryUsed: boolean;
}

export interface AssistantReady extends OperationScope {
  at: "assistant.ready";
  generationContext: GenerationContext;
  nextAttempt: number;
}

export interface AssistantEffectPending extends OperationScope {
  at: "assistant.effect_pending";
  generationContext: GenerationContext;
  attempt: number;
  responseEntryId: string;
  usageId: string;
  intendedOutputLimit: number;
  contextWindow: number;
  /** The API of the model at intent, for a recovery without a start frame (E4). An addition to pi's shape. */
  api?: string;
}

export interface AssistantRetryWait extends OperationScope {
  at: "assistant.retry_wait";
  generationContext: GenerationContext;
  nextAttempt: number;
  notBefore: number;
  errorMessage: string;
}

export type Continuation =
  | { kind: "need_assistant"; overflowRecoveryUsed: boolean }
  | { kind: "may_finish"; includeFinalAssistant: boolean };

export interface Checkpoint extends OperationScope {
  at: "checkpoint";
  continuation: Continuation;
  triggerEntryId: string;
}

/** One call of a batch, with the id that its result will have. */
export interface PlannedCall {
  /** Index in the complete content of the assistant message. */
  sourceIndex: number;
  resultEntryId: string;
  status: "planned";
}

export interface ToolBatch {
  assistantEntryId: string;
  configuration: LaneConfiguration;
  turnId: string;
  calls: PlannedCall[];
}

export interface Tools extends OperationScope {
  at: "tools";
  batch: ToolBatch;
}

interface DeferredScope extends OperationScope {
  stepId: string;
  sourceEntryId: string;
  poll: number;
  configuration: LaneConfiguration;
  streamOptions: StreamOptions;
}

export interface DeferredSuspended extends DeferredScope {
  at: "deferred.suspended";
}

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
