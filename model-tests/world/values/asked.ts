/** What a harness must ask its surroundings for. */
import type { AssistantMessage, Message } from "@earendil-works/pi-ai";
import type { ToolCallRequest } from "../../adapters/adapter.ts";
import type { Interpreter } from "../interpreter.ts";
import { type Expectation, exactly, oneOf, optional, rule } from "./expectation.ts";

/**
 * The transcript without what no provider may see: responses that failed or were aborted, and results of their calls (E8).
 * A response that was deferred is no answer either; whether a provider sees what it showed is not said.
 */
export const contextExpected = ({ entries }: Interpreter): Expectation =>
  oneOf(
    exactly(contextWithout(entries, ["error", "aborted"])),
    exactly(contextWithout(entries, ["error", "aborted", "deferred"])),
  );

function contextWithout(entries: Interpreter["entries"], stopReasons: readonly string[]): readonly Message[] {
  const messages = entries.map(({ message }) => message.value as Message);
  const kept = messages.filter((message) => message.role !== "assistant" || !stopReasons.includes(message.stopReason));
  const calls = new Set(kept.flatMap((message) => (message.role === "assistant" ? callsOf(message) : [])));
  return kept.filter((message) => message.role !== "toolResult" || calls.has(message.toolCallId));
}

const callsOf = ({ content }: AssistantMessage): string[] =>
  content.flatMap((block) => (block.type === "toolCall" ? [block.id] : []));

/** A call is run as some response of the transcript has planned it. */
export function toolCallExpected({ entries }: Interpreter, { toolCallId }: ToolCallRequest): Expectation {
  for (const { message } of entries.toReversed()) {
    const { role, content } = message.value as AssistantMessage;
    const call =
      role === "assistant" ? content.find((block) => block.type === "toolCall" && block.id === toolCallId) : undefined;
    if (call?.type === "toolCall") {
      return { toolCallId, name: call.name, arguments: optional(exactly(call.arguments)) };
    }
  }
  return rule("a call of the transcript", () => false);
}
