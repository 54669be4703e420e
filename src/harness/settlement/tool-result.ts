/** The results of tool calls: what a runner answered, or an error that says why there is no answer (Q1, Q2). */
import type { ToolCall, ToolResultMessage } from "@earendil-works/pi-ai";
import { frozenCopy } from "../../durable/json.ts";
import { assertDepth } from "../../storage/admission/depth.ts";
import type { ToolOutcome } from "../options.ts";

/** The error texts of calls that have no result of their own. */
export const toolErrors = {
  cutOff: "Not executed: the response reached its length limit, so the arguments may be cut short",
  noRunner: "Not executed: this harness runs no tools",
  cancelledBefore: "Aborted: the operation was cancelled before this call was started",
  cancelledAmid: "Aborted: the operation was cancelled while this call was running. Its outcome is unknown",
  interrupted:
    "Interrupted: the process ended while this call was running. Its outcome is unknown: it may have taken effect, or not",
} as const;

/** An error result with this text. */
export const failedCall = (text: string): ToolOutcome => ({ content: [{ type: "text", text }], isError: true });

/**
 * The result as it is stored. What no store would keep becomes an error result: it costs this call and nothing else (Q2).
 */
export function resultMessage(call: ToolCall, outcome: ToolOutcome, timestamp: number): ToolResultMessage {
  try {
    const message = messageOf(call, outcome, timestamp);
    // It is stored one level below an entry.
    assertDepth({ message });
    return frozenCopy(message);
  } catch (error) {
    return messageOf(call, failedCall(`The result cannot be stored: ${describe(error)}`), timestamp);
  }
}

function messageOf(call: ToolCall, { content, details, isError }: ToolOutcome, timestamp: number): ToolResultMessage {
  if (!Array.isArray(content)) throw new TypeError("its content is no list of blocks");
  return {
    role: "toolResult",
    toolCallId: call.id,
    toolName: call.name,
    content,
    ...(details !== undefined && { details }),
    isError: isError ?? false,
    timestamp,
  };
}

/** What an error says, whatever was thrown. */
export const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error));
