/** What a host gives to a harness: models, hooks, options; and what an activation answers. */
import type { AssistantMessage, DeferredHandle, ImageContent, Models, TextContent } from "@earendil-works/pi-ai";
import type { JsonValue } from "../durable/json.ts";
import type { OperationResultRecord, RetryPolicy } from "../durable/operation.ts";
import type { Session } from "../session/session.ts";
import type { Listener } from "./listening/events.ts";

/** The part of pi-ai's `Models` that a harness uses. */
export type ProviderModels = Pick<Models, "getModel" | "streamSimple" | "streamDeferred" | "cancelDeferred">;

/** What the hook `afterResponse` is given. */
export interface AfterResponseInput {
  lane: string;
  operationId: string;
  responseEntryId: string;
  /** As the provider made it; frozen. */
  message: AssistantMessage;
  /** Pulled when the operation is cancelled or the session ends. */
  signal: AbortSignal;
}

/** One call that a tool runner is asked to make. */
export interface RunToolInput {
  lane: string;
  operationId: string;
  /** The response that makes the call. */
  assistantEntryId: string;
  toolCallId: string;
  name: string;
  arguments: Record<string, unknown>;
  /** The id that the result entry will have, the same after a restart: a runner can recognise a repeated call by it. */
  resultEntryId: string;
  /** How often this call was started, this time included: more than once only if its tool is repeatable (Q1). */
  run: number;
  /** Pulled when the operation is cancelled or the session ends. */
  signal: AbortSignal;
}

/** What one call came to; it becomes a tool result of the transcript. */
export interface ToolOutcome {
  content: (TextContent | ImageContent)[];
  isError?: boolean;
  details?: JsonValue;
}

/** Code of the host that runs within an operation. */
export interface HarnessHooks {
  /** May replace the message before it settles (D3). When it throws, listeners are told and the message stays. */
  afterResponse?(input: AfterResponseInput): AssistantMessage | undefined | Promise<AssistantMessage | undefined>;
  /** Makes one call, after its mark is durable (Q1). When it throws, the call gets an error result. Without it every call does. */
  runTool?(input: RunToolInput): ToolOutcome | Promise<ToolOutcome>;
}

/** How the calls of tools are made (Q1). */
export interface ToolPolicy {
  /** Names of tools whose calls may be made again when a crash has left their outcome unknown. Any other gets an error result. */
  repeatable: readonly string[];
  /** How often one call of such a tool is started at most. */
  maxRuns: number;
  /** Whether the calls of one response run side by side, or each after the one before has ended. */
  execution: "parallel" | "sequential";
}

/** What `openHarness` needs. */
export interface HarnessOptions {
  session: Session;
  models: ProviderModels;
  /** The model of lanes that this harness creates. */
  model: { provider: string; modelId: string };
  /** Default: one attempt, no delay, and no delay longer than a minute. */
  retryPolicy?: Partial<RetryPolicy>;
  /** Default: no tool is repeatable, three runs, side by side. */
  toolPolicy?: Partial<ToolPolicy>;
  /**
   * How long after the reply of a cancel its operation still waits for a provider, a hook or a listener, in milliseconds
   * (Q4). What does not end by then is left behind. Default: 5,000.
   */
  stopGraceMs?: number;
  /**
   * How long a provider may give no event, in milliseconds (Q4). Then it is left behind: the response is an error that may
   * be retried. Default: 600,000. `Infinity` waits for ever.
   */
  providerSilenceMs?: number;
  hooks?: HarnessHooks;
  /** Sent with every request. */
  systemPrompt?: string;
  /** Subscribed before anything happens. */
  onEvent?: Listener;
}

/** Where one activation left its operation. */
export type ActivationOutcome =
  /** The operation has ended (O2). */
  | { kind: "settled"; result: OperationResultRecord }
  /** The next attempt is due at `notBefore`, in milliseconds since the epoch, and the caller asked not to wait for it (O4). */
  | { kind: "waiting"; notBefore: number }
  /** A deferred response waits for a poll, which needs a permit (G2). */
  | { kind: "suspended"; handle: DeferredHandle; poll: number };
