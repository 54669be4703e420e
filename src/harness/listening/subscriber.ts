import type { HarnessEvent, Listener } from "./events.ts";

/** Told what a listener threw, and at which event. */
type OnThrow = (error: unknown, event: HarnessEvent) => void;

/** One listener with its own FIFO: each event waits for the one before, and for no other listener. */
export class Subscriber {
  readonly #listener: Listener;
  readonly #onThrow: OnThrow;
  readonly #awaited: boolean;
  #held: HarnessEvent[] | undefined;
  #last: Promise<void> = Promise.resolve();
  #stopped = false;

  /** A watcher's events are held until `start`, and nobody ever waits for it. */
  constructor(kind: "listener" | "watcher", listener: Listener, onThrow: OnThrow) {
    this.#listener = listener;
    this.#onThrow = onThrow;
    this.#awaited = kind === "listener";
    this.#held = kind === "watcher" ? [] : undefined;
  }

  /** Resolves when nobody has to wait for the listener any more: for a watcher at once. */
  deliver(event: HarnessEvent): Promise<void> {
    if (this.#held !== undefined) {
      this.#held.push(event);
      return Promise.resolve();
    }
    this.#last = this.#last.then(() => this.#call(event));
    return this.#awaited ? this.#last : Promise.resolve();
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
      this.#onThrow(error, event);
    }
  }
}
