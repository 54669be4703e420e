/** Decides what becomes of a response: retry, suspend, tools, failure or end (D5). */
import type { AssistantMessage, ToolCall } from "@earendil-works/pi-ai";
import { isRetryableAssistantError, retryDelayMs } from "@earendil-works/pi-ai/utils/retry";
import type { OperationError } from "../../durable/operation.ts";
import type { GenerationContext } from "../../durable/state.ts";
import { InvariantError } from "../../errors.ts";
import { type ModelIdentity, validHandle } from "../reading/deferred-handle.ts";
import type { ReservedRequest } from "./reserved-request.ts";

/** What a settlement is decided from. All of it is durable, or read at the turn. */
export interface Settling {
  readonly message: AssistantMessage;
  /** Cancellation landed. */
  readonly cancelled: boolean;
  /** It has no end of its own: an interruption may always be retried. */
  readonly interrupted: boolean;
  readonly asked: ModelIdentity;
  readonly generation: ReservedRequest["generation"];
  readonly poll: ReservedRequest["poll"];
  readonly now: number;
}

/** Another attempt with what the generation was asked with. */
interface Retry {
  kind: "retry";
  message: AssistantMessage;
  generationContext: GenerationContext;
  nextAttempt: number;
  /** Milliseconds since the epoch. */
  notBefore: number;
  errorMessage: string;
}

/** What becomes of a response, and the message as it is stored. */
export type Decision =
  | { kind: "cancelled"; message: AssistantMessage }
  | { kind: "suspend"; message: AssistantMessage; poll: number }
  | Retry
  | { kind: "fail"; message: AssistantMessage; error: OperationError }
  | { kind: "tools"; message: AssistantMessage; sourceIndexes: number[] }
  | { kind: "finish"; message: AssistantMessage };

/** Classifies a response; the first match wins (D5). */
export function classify(settling: Settling): Decision {
  const { message } = settling;
  if (settling.cancelled) return { kind: "cancelled", message: asAborted(message) };
  switch (message.stopReason) {
    case "aborted":
      throw new InvariantError("An aborted response reached settlement although nobody cancelled");
    case "pending":
      throw new InvariantError("An unfinished response reached settlement");
    case "deferred":
      return classifyDeferred(settling);
    case "error":
      return classifyError(settling);
    default:
      return classifyContent(message);
  }
}

/** The tool calls of a message with their index in its content. */
function toolCallsOf(message: AssistantMessage): { sourceIndex: number; call: ToolCall }[] {
  return message.content.flatMap((block, sourceIndex) =>
    block.type === "toolCall" ? [{ sourceIndex, call: block }] : [],
  );
}

function asAborted(message: AssistantMessage): AssistantMessage {
  const { deferred: _dropped, ...kept } = message;
  return { ...kept, stopReason: "aborted" };
}

function classifyDeferred({ message, asked, poll }: Settling): Decision {
  if (validHandle(message, asked) !== undefined) return { kind: "suspend", message, poll };
  const { deferred: _dropped, ...kept } = message;
  const text = "The provider answered with a deferred handle that does not belong to the requested model";
  return {
    kind: "fail",
    message: { ...kept, stopReason: "error", errorMessage: text },
    error: { code: "invalid_deferred", message: text },
  };
}

function classifyError({ message, interrupted, generation, now }: Settling): Decision {
  const errorMessage = message.errorMessage ?? "The provider reported an error without a message";
  const retryable = interrupted || isRetryableAssistantError(message);
  if (!retryable || generation === undefined) {
    return { kind: "fail", message, error: { code: "provider_error", message: errorMessage } };
  }
  const { context: generationContext, attempt } = generation;
  const { retryPolicy } = generationContext;
  if (attempt >= retryPolicy.maxAttempts) {
    return { kind: "fail", message, error: { code: "attempts_exhausted", message: errorMessage } };
  }
  const notBefore = now + retryDelayMs(retryPolicy, attempt);
  return { kind: "retry", message, generationContext, nextAttempt: attempt + 1, notBefore, errorMessage };
}

function classifyContent(message: AssistantMessage): Decision {
  const sourceIndexes = toolCallsOf(message).map(({ sourceIndex }) => sourceIndex);
  if (sourceIndexes.length > 0) return { kind: "tools", message, sourceIndexes };
  if (message.stopReason !== "toolUse") return { kind: "finish", message };
  const text = "The provider stopped for tool use without a tool call";
  return {
    kind: "fail",
    message: { ...message, stopReason: "error", errorMessage: text },
    error: { code: "missing_tool_call", message: text },
  };
}
