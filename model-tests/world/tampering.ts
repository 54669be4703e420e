/** What somebody else does to the frame list of a pending response while no process is up (B4, N1). */
import type { AssistantMessageFrame } from "@earendil-works/pi-ai";
import { appendList, deleteList, pendingAssistantFrames, type Storage, type Write } from "../../src/index.ts";
import { currentFrames, operationScalars } from "./durable.ts";
import type { Interpreter } from "./interpreter.ts";

/** A frame of a block that was never started: pi-ai's reducer refuses it. */
const irreducible = { type: "text_delta", contentIndex: 1_000, delta: "?" };

export class Tampering {
  readonly #storage: Storage;
  readonly #durable: Interpreter;
  /** The frame that the provider's order has at a position of a response's list, counted from 1. */
  readonly #frameAt: (response: string, position: number) => AssistantMessageFrame;
  /** By response: where in its list stands a frame that is none. */
  readonly #damaged = new Map<string, number>();

  constructor(
    storage: Storage,
    durable: Interpreter,
    frameAt: (response: string, position: number) => AssistantMessageFrame,
  ) {
    this.#storage = storage;
    this.#durable = durable;
    this.#frameAt = frameAt;
  }

  /** Cuts the list, or adds to it what the provider would have said. */
  resize(size: (listed: number) => number): Promise<void> {
    return this.#rewrite((frames, response) => {
      const length = size(frames.length);
      // What is cut off takes its damage along.
      if (length <= (this.#damaged.get(response) ?? 0)) this.#damaged.delete(response);
      return Array.from({ length }, (_, at) => frames[at] ?? this.#frameAt(response, at + 1));
    });
  }

  /** Puts something in the place of the last frame that the reducer refuses. */
  damage(): Promise<void> {
    return this.#rewrite((frames, response) => {
      this.#damaged.set(response, this.readable(response, frames.length - 1));
      return [...frames.slice(0, -1), irreducible];
    });
  }

  /** How many of the frames that are stored for a response the reducer takes. */
  readable(response: string, listed: number): number {
    return Math.min(listed, this.#damaged.get(response) ?? listed);
  }

  async #rewrite(rewrite: (frames: readonly unknown[], response: string) => readonly unknown[]): Promise<void> {
    const state = operationScalars(this.#durable);
    if (state?.responseEntryId === undefined) throw new Error("No response is pending");
    const address = pendingAssistantFrames(state.operationId, state.responseEntryId);
    const stored = currentFrames(this.#durable).map(({ element }) => element.value);
    const kept = rewrite(stored, state.responseEntryId);
    const writes: Write[] = [
      deleteList(address),
      ...kept.map((frame) => appendList(address, frame as AssistantMessageFrame)),
    ];
    this.#durable.apply(writes, await this.#storage.commit(writes));
  }
}
