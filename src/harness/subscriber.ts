import type { HarnessEvent, Listener } from "./events.ts";

/** One listener with its own FIFO: each event waits for the one before, and for no other listener. */
export class Subscriber {
  readonly #listener: Listener;
  readonly #onThrow: (error: unknown, during: string) => void;
  #held: HarnessEvent[] | undefined;
  #last: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(listener: Listener, paused: boolean, onThrow: (error: unknown, during: string) => void) {
    this.#listener = listener;
    this.#onThrow = onThrow;
    this.#held = paused ? [] : undefined;
  }

  /** Resolves when the listener is done with the event. While paused the event is held and nobody waits for it. */
  deliver(event: HarnessEvent): Promise<void> {
    if (this.#stopped) return Promise.resolve();
    if (this.#held !== undefined) {
      this.#held.push(event);
      return Promise.resolve();
    }
    this.#last = this.#last.then(() => this.#call(event));
    return this.#last;
  }

  /** Delivers what was held, then everything as it comes. */
  start(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const event of held) void this.deliver(event);
  }

  /** No call starts after this one. */
  stop(): void {
    this.#stopped = true;
  }

  async #call(event: HarnessEvent): Promise<void> {
    if (this.#stopped) return;
    try {
      await this.#listener(event);
    } catch (error) {
      this.#onThrow(error, event.type);
    }
  }
}
