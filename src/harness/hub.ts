import { frozenCopy } from "../durable/json.ts";
import type { HarnessEvent, Listener, ListenerError } from "./events.ts";
import { Subscriber } from "./subscriber.ts";

/** Gives each event to every subscriber. What it gives is a frozen copy (J4). */
export class EventHub {
  readonly #subscribers = new Set<Subscriber>();
  #closed = false;

  /** Subscribes from this instant on. `paused`: hold the events back until `start` (I5). */
  subscribe(listener: Listener, paused = false): Subscriber {
    const subscriber = new Subscriber(listener, paused, (error, during) => this.#report(error, during));
    this.#subscribers.add(subscriber);
    return subscriber;
  }

  unsubscribe(subscriber: Subscriber): void {
    subscriber.stop();
    this.#subscribers.delete(subscriber);
  }

  /** Resolves when every subscriber that takes events has taken this one. Never rejects. */
  async emit(event: HarnessEvent): Promise<void> {
    if (this.#closed || this.#subscribers.size === 0) return;
    const given = isolated(event);
    const [first, ...others] = this.#subscribers;
    if (first === undefined) return;
    if (others.length === 0) await first.deliver(given);
    else await Promise.all([first, ...others].map((subscriber) => subscriber.deliver(given)));
  }

  /** No event after this one. */
  close(): void {
    this.#closed = true;
  }

  #report(error: unknown, during: string): void {
    // A listener that throws at a report as well must not be told of it for ever.
    if (during === "listener_error") return;
    void this.emit({ type: "listener_error", kind: "listener", error, during });
  }
}

/** Errors cannot be copied as JSON; they are shared, inside a frozen event. */
function isolated(event: HarnessEvent): HarnessEvent {
  return carriesError(event) ? Object.freeze({ ...event }) : frozenCopy(event);
}

function carriesError(event: HarnessEvent): event is ListenerError | Extract<HarnessEvent, { type: "fault" }> {
  return event.type === "fault" || event.type === "listener_error";
}
