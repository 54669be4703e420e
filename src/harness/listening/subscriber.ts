/** One listener and the events that wait for it: called one at a time, in order, outside the stack of whoever emits (I5, J4). */
import { Fifo } from "../../session/fifo.ts";
import type { HarnessEvent, Listener } from "./events.ts";

/** Told what a listener threw, and at which event. */
type OnThrow = (error: unknown, event: HarnessEvent) => void;

/** An event on its way, and whom to tell that the listener has taken it. */
interface Delivery {
  readonly event: HarnessEvent;
  readonly taken: (() => void) | undefined;
}

const nobodyWaits = Promise.resolve();

/** One listener with its own FIFO: each event waits for the one before, and for no other listener. */
export class Subscriber {
  readonly #listener: Listener;
  readonly #onThrow: OnThrow;
  readonly #awaited: boolean;
  readonly #queue = new Fifo<Delivery>();
  #held: HarnessEvent[] | undefined;
  #delivering = false;
  /** Ends the wait for the call that has not returned yet. */
  #leaveCall: (() => void) | undefined;
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
    if (this.#stopped) return nobodyWaits;
    if (this.#held !== undefined) {
      this.#held.push(event);
      return nobodyWaits;
    }
    if (!this.#awaited) {
      this.#enqueue({ event, taken: undefined });
      return nobodyWaits;
    }
    return new Promise((taken) => this.#enqueue({ event, taken }));
  }

  /** Delivers what was held, then everything as it comes. */
  start(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const event of held) void this.deliver(event);
  }

  /** No call starts after this one, and nobody waits for the listener any more, whether it has returned or not. */
  stop(): void {
    this.#stopped = true;
    this.#leaveCall?.();
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) next.taken?.();
  }

  /** As `stop`, but what waits for nothing is delivered first. What waits behind a call that has not returned is dropped (K1). */
  close(): void {
    while (this.#leaveCall === undefined) {
      const next = this.#queue.shift();
      if (next === undefined) break;
      void this.#call(next.event);
      next.taken?.();
    }
    this.stop();
  }

  #enqueue(delivery: Delivery): void {
    this.#queue.push(delivery);
    if (!this.#delivering) void this.#deliverAll();
  }

  async #deliverAll(): Promise<void> {
    this.#delivering = true;
    await undefined;
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      await this.#call(next.event);
      next.taken?.();
    }
    this.#delivering = false;
  }

  async #call(event: HarnessEvent): Promise<void> {
    try {
      const returned: unknown = this.#listener(event);
      if (isThenable(returned)) await this.#unlessLeft(returned);
    } catch (error) {
      this.#onThrow(error, event);
    }
  }

  /** Follows a call until it returns, or until nobody waits for it any more. */
  async #unlessLeft(call: PromiseLike<unknown>): Promise<void> {
    try {
      await new Promise<void>((resolve, reject) => {
        this.#leaveCall = resolve;
        call.then(() => resolve(), reject);
        if (this.#stopped) resolve();
      });
    } finally {
      this.#leaveCall = undefined;
    }
  }
}

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
