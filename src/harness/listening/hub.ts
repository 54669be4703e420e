/** Hands each event to every listener and watcher, as a frozen copy (J4). */
import { frozenCopy } from "../../durable/json.ts";
import { HarnessFault } from "../../errors.ts";
import type { HarnessEvent, Listener } from "./events.ts";
import { Subscriber } from "./subscriber.ts";

/** Gives each event to every subscriber. What it gives is a frozen copy (J4). */
export class EventHub {
  readonly #subscribers = new Set<Subscriber>();
  #closed = false;

  /** Subscribes from this instant on. Whoever emits waits for the listener (C1). */
  subscribe(listener: Listener): Subscriber {
    return this.#add("listener", listener);
  }

  /** Subscribes from this instant on; events are held back until `start`, and nobody waits for the listener (I5). */
  watch(listener: Listener): Subscriber {
    return this.#add("watcher", listener);
  }

  /** The subscriber is told no more, and what waits for it goes on (J4). */
  unsubscribe(subscriber: Subscriber): void {
    subscriber.stop();
    this.#subscribers.delete(subscriber);
  }

  /**
   * Resolves when every listener has taken this event; watchers take it in their own time. Rejects only when the event
   * is no JSON, which parts of a stream may cause: the reader of the stream then faults the session.
   */
  async emit(event: HarnessEvent): Promise<void> {
    if (this.#closed || this.#subscribers.size === 0) return;
    const given = isolated(event);
    const [first, ...others] = this.#subscribers;
    if (first === undefined) return;
    if (others.length === 0) await first.deliver(given);
    else await Promise.all([first, ...others].map((subscriber) => subscriber.deliver(given)));
  }

  /** No listener is called after this. What waits behind a call that has not returned is dropped (K1). */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const subscriber of this.#subscribers) subscriber.close();
    this.#subscribers.clear();
  }

  #add(kind: "listener" | "watcher", listener: Listener): Subscriber {
    const subscriber = new Subscriber(kind, listener, (error, during) => this.#report(error, during));
    this.#subscribers.add(subscriber);
    return subscriber;
  }

  #report(error: unknown, event: HarnessEvent): void {
    // A listener that throws at the report of a throw must not be told of it for ever.
    if (event.type === "listener_error" && event.kind === "listener") return;
    void this.emit({ type: "listener_error", kind: "listener", error, during: event.type });
  }
}

/** Errors cannot be copied as JSON: callers have the fault, so listeners get one of their own, with the same cause. */
function isolated(event: HarnessEvent): HarnessEvent {
  if (event.type === "listener_error") return Object.freeze({ ...event });
  if (event.type !== "fault") return frozenCopy(event);
  return Object.freeze({ ...event, error: Object.freeze(new HarnessFault(event.error.cause)) });
}
