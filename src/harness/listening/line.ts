/** The events of one lane that wait for one listener: it is called with one at a time (I5). */
import { Fifo } from "../../session/fifo.ts";
import type { HarnessEvent, Listener } from "./events.ts";

/** Told what a listener threw, and at which event. */
export type OnThrow = (error: unknown, event: HarnessEvent) => void;

/** An event on its way, and whom to tell that the listener has taken it. Without an event it only marks a place. */
interface Delivery {
  readonly event: HarnessEvent | undefined;
  readonly taken: () => void;
}

/** One FIFO: each event waits until the listener has returned from the one before. */
export class Line {
  readonly #listener: Listener;
  readonly #onThrow: OnThrow;
  readonly #queue = new Fifo<Delivery>();
  #delivering = false;
  /** Ends the wait for the call that has not returned yet. */
  #leaveCall: (() => void) | undefined;
  #stopped = false;

  constructor(listener: Listener, onThrow: OnThrow) {
    this.#listener = listener;
    this.#onThrow = onThrow;
  }

  /** Whether a call has not returned. */
  get isCalling(): boolean {
    return this.#leaveCall !== undefined;
  }

  enqueue(delivery: Delivery): void {
    if (this.#stopped) {
      delivery.taken();
      return;
    }
    this.#queue.push(delivery);
    if (!this.#delivering) void this.#deliverAll();
  }

  /** No call starts any more; whoever waits for one goes on. */
  stop(): void {
    this.#stopped = true;
    this.#leaveCall?.();
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) next.taken();
  }

  /** Calls with all that waits for no call. */
  deliverNow(): void {
    while (!this.#stopped && !this.isCalling) {
      const next = this.#queue.shift();
      if (next === undefined) break;
      if (next.event !== undefined) void this.#call(next.event);
      next.taken();
    }
  }

  async #deliverAll(): Promise<void> {
    this.#delivering = true;
    await undefined;
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      if (next.event !== undefined) await this.#call(next.event);
      next.taken();
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
