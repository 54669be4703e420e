// Shared by tests that look at what is handed to the store.
import type {
  AssistantMessage,
  AssistantMessageEvent,
  AssistantMessageFrame,
  TextContent,
  ThinkingContent,
  ToolCall,
} from "@earendil-works/pi-ai";
import type { CommitResult } from "../../storage/contract/storage.ts";
import type { Write } from "../../storage/contract/writes.ts";
import { assistant, ParkingStorage } from "./fakes.ts";

/** Remembers every transaction that it was handed, in order. */
export class RecordingStorage extends ParkingStorage {
  readonly transactions: Write[][] = [];

  override commit(writes: Write[]): Promise<CommitResult> {
    this.transactions.push(structuredClone(writes));
    return super.commit(writes);
  }

  /** The frames that were appended, by their list, in the order of the first appends. */
  get frameLists(): AssistantMessageFrame[][] {
    const lists = new Map<string, AssistantMessageFrame[]>();
    for (const write of this.transactions.flat()) {
      if (write.kind !== "list" || write.op !== "append") continue;
      const frames = lists.get(write.key) ?? [];
      lists.set(write.key, [...frames, write.value as AssistantMessageFrame]);
    }
    return [...lists.values()];
  }
}

type Block = TextContent | ThinkingContent | ToolCall;

/** A response as a provider streams it: one growing message, shared by all its events and perhaps ahead of them. */
export class LiveResponse {
  readonly partial: AssistantMessage;

  constructor(changes: Partial<AssistantMessage> = {}) {
    this.partial = assistant("", { stopReason: "pending", ...changes });
  }

  start(): AssistantMessageEvent {
    return { type: "start", partial: this.partial };
  }

  /** Starts the next block; with a text it is ahead of the deltas to come. */
  open(block: Block): AssistantMessageEvent {
    const contentIndex = this.partial.content.push(block) - 1;
    const type = block.type === "toolCall" ? "toolcall_start" : (`${block.type}_start` as const);
    return { type, contentIndex, partial: this.partial };
  }

  /** A piece of a block. The message grows by it, as far as it was not ahead. */
  delta(contentIndex: number, delta: string): AssistantMessageEvent {
    const block = this.#block(contentIndex);
    const sent = (this.#sent.get(contentIndex) ?? "") + delta;
    this.#sent.set(contentIndex, sent);
    if (block.type === "text" && sent.length > block.text.length) block.text = sent;
    if (block.type === "thinking" && sent.length > block.thinking.length) block.thinking = sent;
    const type = block.type === "toolCall" ? "toolcall_delta" : (`${block.type}_delta` as const);
    return { type, contentIndex, delta, partial: this.partial };
  }

  /** Ends a block as it is, or with what the provider says it is after all. */
  end(contentIndex: number, final: Block = this.#block(contentIndex)): AssistantMessageEvent {
    const { partial } = this;
    partial.content[contentIndex] = final;
    if (final.type === "text") return { type: "text_end", contentIndex, content: final.text, partial };
    if (final.type === "thinking") return { type: "thinking_end", contentIndex, content: final.thinking, partial };
    return { type: "toolcall_end", contentIndex, toolCall: final, partial };
  }

  readonly #sent = new Map<number, string>();

  #block(contentIndex: number): Block {
    const block = this.partial.content[contentIndex];
    if (block === undefined) throw new Error(`Block ${contentIndex} has not started`);
    return block;
  }
}

export const text = (content = ""): TextContent => ({ type: "text", text: content });
export const thinking = (content = ""): ThinkingContent => ({ type: "thinking", thinking: content });
export const toolCall = (changes: Partial<ToolCall> = {}): ToolCall => ({
  type: "toolCall",
  id: "c1",
  name: "look",
  arguments: {},
  ...changes,
});
