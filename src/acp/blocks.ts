/** What a durable transcript looks like to a client of the Agent Client Protocol: whole blocks, no stream (P6). */
import type { ToolCall as AcpToolCall, ContentBlock, SessionUpdate, ToolCallContent } from "@agentclientprotocol/sdk";
import type {
  AssistantMessage,
  ImageContent,
  TextContent,
  ToolCall,
  ToolResultMessage,
  UserMessage,
} from "@earendil-works/pi-ai";
import type { Entry } from "../durable/entries.ts";

/** The member of `_meta` that says what a client need not know. */
export const metaName = "assistant-durability";

type Results = ReadonlyMap<string, ToolResultMessage>;

/** The updates that replay a transcript: each block once, each tool call with its result. */
export function updatesOf(transcript: readonly Entry[]): SessionUpdate[] {
  const results: Results = new Map(
    transcript.flatMap((entry) =>
      entry.type === "message" && entry.message.role === "toolResult"
        ? [[entry.message.toolCallId, entry.message as ToolResultMessage]]
        : [],
    ),
  );
  return transcript.flatMap((entry) => updatesOfEntry(entry, results));
}

function updatesOfEntry(entry: Entry, results: Results): SessionUpdate[] {
  if (entry.type === "branch_summary") return [chunk("agent_message_chunk", textBlock(entry.summary), entry.id)];
  if (entry.type !== "message") return [];
  const { message, id } = entry;
  if (message.role === "user") return userBlocks(message).map((block) => chunk("user_message_chunk", block, id));
  return message.role === "assistant" ? updatesOfAnswer(message, id, results) : [];
}

function updatesOfAnswer(message: AssistantMessage, entryId: string, results: Results): SessionUpdate[] {
  const isPartial = message.stopReason === "error" || message.stopReason === "aborted";
  const blocks = message.content.flatMap((block): SessionUpdate[] => {
    if (block.type === "text") return saidBlock("agent_message_chunk", block.text, entryId);
    if (block.type === "thinking") return saidBlock("agent_thought_chunk", block.thinking, entryId);
    // A call of an answer that failed was never made (E6).
    return [toolCallUpdate(block, isPartial ? "failed" : results.get(block.id))];
  });
  return isPartial ? [...blocks, interruptionUpdate(message, entryId)] : blocks;
}

/** Says of the blocks before it that they are not a whole answer. */
export function interruptionUpdate({ stopReason, errorMessage }: AssistantMessage, entryId: string): SessionUpdate {
  const what = stopReason === "aborted" ? "cancelled" : "interrupted";
  const text = `\n[${what}: ${errorMessage ?? "this answer is not complete"}]`;
  return { ...chunk("agent_message_chunk", textBlock(text), entryId), _meta: { [metaName]: { partial: stopReason } } };
}

/** A tool call as a client sees it, with its result when there is one. */
export function toolCallUpdate(call: ToolCall, result?: ToolResultMessage | "failed"): SessionUpdate {
  const shown: AcpToolCall = {
    toolCallId: call.id,
    title: call.name,
    name: call.name,
    kind: "other",
    status: "pending",
    rawInput: call.arguments,
  };
  const settled =
    result === undefined ? {} : result === "failed" ? { status: "failed" as const } : resultFields(result);
  return { sessionUpdate: "tool_call", ...shown, ...settled };
}

/** The result of a call that was shown before. */
export function toolResultUpdate(result: ToolResultMessage): SessionUpdate {
  return { sessionUpdate: "tool_call_update", toolCallId: result.toolCallId, ...resultFields(result) };
}

function resultFields({ content, isError }: ToolResultMessage): {
  status: "completed" | "failed";
  content: ToolCallContent[];
} {
  return {
    status: isError ? "failed" : "completed",
    content: content.map((block) => ({ type: "content", content: contentBlock(block) })),
  };
}

function saidBlock(
  kind: "agent_message_chunk" | "agent_thought_chunk",
  text: string,
  entryId: string,
): SessionUpdate[] {
  return text === "" ? [] : [chunk(kind, textBlock(text), entryId)];
}

function chunk(
  sessionUpdate: "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk",
  content: ContentBlock,
  messageId: string,
): SessionUpdate {
  return { sessionUpdate, content, messageId };
}

const textBlock = (text: string): ContentBlock => ({ type: "text", text });

const userBlocks = ({ content }: UserMessage): ContentBlock[] =>
  typeof content === "string" ? [textBlock(content)] : content.map(contentBlock);

function contentBlock(block: TextContent | ImageContent): ContentBlock {
  return block.type === "text" ? textBlock(block.text) : { type: "image", data: block.data, mimeType: block.mimeType };
}

/** The content of a prompt; a link is given to the model as its address. */
export function promptContent(prompt: readonly ContentBlock[]): (TextContent | ImageContent)[] {
  return prompt.flatMap((block): (TextContent | ImageContent)[] => {
    switch (block.type) {
      case "text":
        return [{ type: "text", text: block.text }];
      case "image":
        return [{ type: "image", data: block.data, mimeType: block.mimeType }];
      case "resource_link":
        return [{ type: "text", text: `${block.name}: ${block.uri}` }];
      default:
        return [];
    }
  });
}
