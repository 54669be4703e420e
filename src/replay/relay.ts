/** A provider stream that gives on exactly what it is given, defects included: pi-ai's own drops what comes too late. */
import type { AssistantMessageEvent } from "@earendil-works/pi-ai";
import { AssistantMessageEventStream } from "@earendil-works/pi-ai/utils/event-stream";

type Taken = IteratorResult<AssistantMessageEvent, undefined>;

/** pi-ai's class is the type of the provider interface; only its queue is replaced. */
export class RelayStream extends AssistantMessageEventStream {
  readonly #queue: (() => Promise<Taken>)[] = [];
  readonly #pulls: ((taken: Promise<Taken>) => void)[] = [];
  #end: (() => Promise<Taken>) | undefined;

  /** Gives one event on, at once. */
  give(event: AssistantMessageEvent): void {
    // pi-ai's stream resolves its result from the terminal event; updates would only pile up in its queue.
    if (event.type === "done" || event.type === "error") super.push(event);
    this.#put(() => Promise.resolve({ value: event, done: false }));
  }

  /** Has the reader's iterator throw. */
  fail(error: unknown): void {
    this.#put(() => Promise.reject(error));
    this.close();
  }

  /** Ends the stream. */
  close(): void {
    this.#end ??= () => Promise.resolve({ value: undefined, done: true });
    while (this.#pulls.length > 0) this.#pulls.shift()?.(this.#end());
  }

  #put(taken: () => Promise<Taken>): void {
    if (this.#end !== undefined) return;
    const pull = this.#pulls.shift();
    if (pull === undefined) this.#queue.push(taken);
    else pull(taken());
  }

  override [Symbol.asyncIterator](): AsyncGenerator<AssistantMessageEvent, undefined, undefined> {
    const next = (): Promise<Taken> => {
      const queued = this.#queue.shift() ?? this.#end;
      if (queued !== undefined) return queued();
      return new Promise((resolve) => this.#pulls.push(resolve));
    };
    const iterator = {
      next,
      return: () => Promise.resolve({ value: undefined, done: true as const }),
      throw: (error: unknown) => Promise.reject(error),
      [Symbol.asyncIterator]: () => iterator,
    };
    return iterator as unknown as AsyncGenerator<AssistantMessageEvent, undefined, undefined>;
  }
}
