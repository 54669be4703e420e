/** Tool calls that a stream has begun and not ended: it has not made them, whatever its end says (Q5). */
import type { AssistantMessage, AssistantMessageEvent, ToolCall } from "@earendil-works/pi-ai";

/** Follows which tool calls of one stream are open. */
export class OpenCalls {
  readonly #open = new Set<number>();
  #partial: AssistantMessage | undefined;

  /** Takes note of one event. */
  note(event: AssistantMessageEvent): void {
    if (event.type === "toolcall_start") {
      this.#partial = event.partial;
      this.#open.add(event.contentIndex);
    } else if (event.type === "toolcall_end") this.#open.delete(event.contentIndex);
  }

  /**
   * The final message of the stream. One that carries a call which never ended is an error that may be retried: its
   * arguments are what had come by then. A `length` response plans its calls and executes none anyway (D5).
   */
  settle(message: AssistantMessage): AssistantMessage {
    // What is no message is refused where it is stored (Q2).
    if (!Array.isArray(message?.content) || message.stopReason === "length") return message;
    const cut = message.content.find((block) => block.type === "toolCall" && this.#isOpen(block.id));
    if (cut?.type !== "toolCall") return message;
    const { deferred: _dropped, ...kept } = message;
    const errorMessage = `The stream ended without the end of the tool call "${cut.name}", so the call was not made`;
    return { ...kept, stopReason: "error", errorMessage };
  }

  #isOpen(id: string): boolean {
    return [...this.#open].some((index) => (this.#partial?.content[index] as Partial<ToolCall> | undefined)?.id === id);
  }
}
