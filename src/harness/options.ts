import type { AssistantMessage, DeferredHandle, ImageContent, Models, TextContent } from "@earendil-works/pi-ai";
import type { JsonValue } from "../durable/json.ts";
import type { OperationResultRecord, RetryPolicy } from "../durable/operation.ts";
import type { Session } from "../session/session.ts";
import type { Listener } from "./listening/events.ts";

/** The part of pi-ai's `Models` that a harness uses. */
export type ProviderModels = Pick<Models, "getModel" | "streamSimple" | "streamDeferred" | "cancelDeferred">;

export interface AfterResponseInput {
  lane: string;
  operationId: string;
  responseEntryId: string;
  message: AssistantMessage;
  signal: AbortSignal;
}

/** One call that a tool runner is asked to make. */
export interface ToolRequest {
  toolCallId: string;
  name: string;
  arguments: Record<string, unknown>;
  /** The id that the result entry will have, the same after a restart: a runner can recognise a repeated call by it. */
  resultEntryId: string;
}

export interface RunToolsInput {
  lane: string;
  operationId: string;
  assistantEntryId: string;
  calls: ToolRequest[];
  signal: AbortSignal;
}

export interface ToolOutcome {
  content: (TextContent | ImageContent)[];
  isError?: boolean;
  details?: JsonValue;
}

export interface HarnessHooks {
  /** May replace the message before it settles (D3). A hook that throws is reported and changes nothing. */
  afterResponse?(input: AfterResponseInput): AssistantMessage | undefined | Promise<AssistantMessage | undefined>;
  /** Runs all calls of one batch and answers one outcome for each, in order. */
  runTools?(input: RunToolsInput): ToolOutcome[] | Promise<ToolOutcome[]>;
}

export interface HarnessOptions {
  session: Session;
  models: ProviderModels;
  /** The model of lanes that this harness creates. */
  model: { provider: string; modelId: string };
  /** Default: one attempt, no delay, and no delay longer than a minute. */
  retryPolicy?: Partial<RetryPolicy>;
  hooks?: HarnessHooks;
  systemPrompt?: string;
  /** Subscribed before anything happens. */
  onEvent?: Listener;
}

/** Where one activation left its operation. */
export type ActivationOutcome =
  | { kind: "settled"; result: OperationResultRecord }
  /** The next attempt is due at `notBefore`, and the caller asked not to wait for it (O4). */
  | { kind: "waiting"; notBefore: number }
  /** A deferred response waits for a poll. */
  | { kind: "suspended"; handle: DeferredHandle; poll: number };
