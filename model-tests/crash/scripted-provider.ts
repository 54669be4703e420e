/** A provider whose answers a seed decides: blocks of every kind, small and huge deltas in bursts, and every end. */
import type {
  AssistantMessage,
  AssistantMessageEvent,
  AssistantMessageEventStream,
  Models,
  StopReason,
  TextContent,
  ThinkingContent,
  ToolCall,
} from "@earendil-works/pi-ai";
import { createAssistantMessageEventStream } from "@earendil-works/pi-ai/utils/event-stream";
import type { Random } from "../random.ts";
import { errorMessages, scriptModel } from "../world/script.ts";

type Push = (event: AssistantMessageEvent) => void;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Characters. */
export const hugeDeltaLength = 4_000_000;

/** Says where its deltas stand, so that a hole or a repetition shows. */
class Deltas {
  readonly #random: Random;
  #hugeOnesLeft: number;

  constructor(random: Random, huge: boolean) {
    this.#random = random;
    this.#hugeOnesLeft = huge ? 1 : 0;
  }

  at(position: number): string {
    return `${position}:${"x".repeat(this.#length())} `;
  }

  #length(): number {
    const random = this.#random;
    if (random.chance(0.04) && this.#hugeOnesLeft-- > 0) return hugeDeltaLength;
    return random.chance(0.02) ? random.below(50_000) : random.below(40);
  }
}

export class ScriptedProvider
  implements Pick<Models, "getModel" | "streamSimple" | "streamDeferred" | "cancelDeferred">
{
  readonly #random: Random;
  readonly #deltas: Deltas;
  readonly #meanwhile: () => void;
  #requests = 0;

  /**
   * @param huge whether one delta of one answer is huge.
   * @param meanwhile called at some moment of each answer.
   */
  constructor(random: Random, huge: boolean, meanwhile: () => void) {
    this.#random = random;
    this.#deltas = new Deltas(random, huge);
    this.#meanwhile = meanwhile;
  }

  getModel() {
    return scriptModel;
  }

  streamSimple(_model: unknown, _context: unknown, options?: { signal?: AbortSignal }): AssistantMessageEventStream {
    const stream = createAssistantMessageEventStream();
    void this.#answer((event) => stream.push(event), options?.signal);
    return stream;
  }

  streamDeferred(): never {
    throw new Error("No response of this provider is deferred");
  }

  cancelDeferred(): Promise<void> {
    return Promise.resolve();
  }

  async #answer(push: Push, signal: AbortSignal | undefined): Promise<void> {
    const random = this.#random;
    const partial = emptyMessage(++this.#requests);
    // Now and then the request fails before anything is streamed.
    if (random.chance(0.05)) return push(endOf(partial, "error", errorMessages.retryable));
    push({ type: "start", partial });
    const blocks = 1 + random.below(3);
    const moment = random.below(blocks);
    for (let contentIndex = 0; contentIndex < blocks; contentIndex++) {
      if (contentIndex === moment) this.#meanwhile();
      await this.#streamBlock(push, partial, contentIndex, signal);
      if (signal?.aborted === true) return push(endOf(partial, "aborted", errorMessages.aborted));
    }
    push(this.#end(partial));
  }

  /** The partial is shared and live, so that it may be ahead of the events (B6). */
  async #streamBlock(
    push: Push,
    partial: AssistantMessage,
    contentIndex: number,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const random = this.#random;
    const block = newBlock(random, `call-${partial.timestamp}-${contentIndex}`);
    partial.content.push(block);
    push({ type: `${kindOf(block)}_start`, contentIndex, partial });
    const deltas = random.below(20);
    for (let position = 0; position < deltas && signal?.aborted !== true; position++) {
      const delta = extend(block, position, this.#deltas.at(position));
      push({ type: `${kindOf(block)}_delta`, contentIndex, delta, partial });
      if (random.chance(0.3)) await turn();
    }
    if (signal?.aborted !== true) push(blockEnd(block, contentIndex, partial));
  }

  #end(partial: AssistantMessage): AssistantMessageEvent {
    const random = this.#random;
    if (random.chance(0.15)) return endOf(partial, "error", errorMessages.retryable);
    if (random.chance(0.05)) return endOf(partial, "error", errorMessages.terminal);
    return endOf(partial, partial.content.some(({ type }) => type === "toolCall") ? "toolUse" : "stop");
  }
}

function emptyMessage(request: number): AssistantMessage {
  const { api, provider, id } = scriptModel;
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  return {
    role: "assistant",
    content: [],
    api,
    provider,
    model: id,
    responseId: `response-${request}`,
    usage: { input: request, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: request + 1, cost },
    stopReason: "pending",
    timestamp: request,
  };
}

function endOf(partial: AssistantMessage, stopReason: StopReason, errorMessage?: string): AssistantMessageEvent {
  const content = structuredClone(partial.content);
  const message: AssistantMessage = {
    ...partial,
    content,
    stopReason,
    ...(errorMessage !== undefined && { errorMessage }),
  };
  return stopReason === "error" || stopReason === "aborted"
    ? { type: "error", reason: stopReason, error: message }
    : { type: "done", reason: stopReason as "stop", message };
}

type Block = TextContent | ThinkingContent | ToolCall;

function newBlock(random: Random, callId: string): Block {
  if (random.chance(0.2)) return { type: "toolCall", id: callId, name: "probe", arguments: {} };
  return random.chance(0.3) ? { type: "thinking", thinking: "" } : { type: "text", text: "" };
}

const kindOf = (block: Block) => (block.type === "toolCall" ? "toolcall" : block.type);

/** Adds to the block what the delta says, and answers the delta. */
function extend(block: Block, position: number, text: string): string {
  if (block.type === "text") block.text += text;
  else if (block.type === "thinking") block.thinking += text;
  else {
    block.arguments[`a${position}`] = text;
    return `${position === 0 ? "{" : ","}"a${position}":${JSON.stringify(text)}`;
  }
  return text;
}

function blockEnd(block: Block, contentIndex: number, partial: AssistantMessage): AssistantMessageEvent {
  if (block.type === "toolCall") {
    return { type: "toolcall_end", contentIndex, toolCall: structuredClone(block), partial };
  }
  return block.type === "text"
    ? { type: "text_end", contentIndex, content: block.text, partial }
    : { type: "thinking_end", contentIndex, content: block.thinking, partial };
}
