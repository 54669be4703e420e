/** The scripted provider: pi-ai's stream with a gate before every event, and a record of every request. */
import type { AssistantMessage, AssistantMessageEvent } from "@earendil-works/pi-ai";
import { AssistantMessageEventStream } from "@earendil-works/pi-ai/utils/event-stream";
import type { DefectKind, StreamEnd } from "../../machines/index.ts";
import type { RequestScript } from "./script.ts";

/** Who is told what happens at a stream. */
export interface StreamWitness {
  pulled(): void;
  signalled(): void;
  given(event: AssistantMessageEvent): void;
}

type Pull = (result: IteratorResult<AssistantMessageEvent>) => void;

/**
 * One provider stream. The harness pulls; nothing is given until the driver says so. It extends pi-ai's stream because
 * that class is the type of the provider interface, but overrides its queue: defects must reach the harness unfiltered.
 */
export class ScriptedStream extends AssistantMessageEventStream {
  readonly script: RequestScript;
  readonly #witness: StreamWitness;
  readonly #queue: (AssistantMessageEvent | Error)[] = [];
  /** The last event that the harness was given. */
  given: AssistantMessageEvent | undefined;
  /** Whether a hook has answered for its response. */
  hooked = false;
  #pull: Pull | undefined;
  #rejectPull: ((error: Error) => void) | undefined;
  #ended = false;

  constructor(script: RequestScript, signal: AbortSignal | undefined, witness: StreamWitness) {
    super();
    this.script = script;
    this.#witness = witness;
    const abort = () => {
      if (!this.#ended) witness.signalled();
    };
    if (signal?.aborted) abort();
    else signal?.addEventListener("abort", abort, { once: true });
  }

  /** Whether the harness waits for the next event. */
  get pulled(): boolean {
    return this.#pull !== undefined;
  }

  /** Whether the provider has not ended the stream. */
  get live(): boolean {
    return !this.#ended;
  }

  start(): void {
    this.#give(this.script.start());
  }

  update(): void {
    this.#give(this.script.update());
  }

  covered(): void {
    this.#give(this.script.covered());
  }

  finish(end: StreamEnd): AssistantMessage {
    const event = this.script.end(end);
    this.#ended = true;
    this.#give(event);
    if (event.type === "done") return event.message;
    if (event.type === "error") return event.error;
    throw new Error("The script ended without a terminal event");
  }

  /** Breaks the protocol; answers the error response that this may cost (Q6). */
  defect(kind: DefectKind): AssistantMessage {
    this.script.defective = true;
    const { started } = this.script;
    this.#break(kind);
    return this.script.broken(kind, started);
  }

  /** Whoever overlooks the defect finds a stream that ends well behind it. */
  #break(kind: DefectKind): void {
    const late = this.script.late();
    this.#ended = true;
    switch (kind) {
      case "update_before_start":
        this.#give(this.script.update());
        this.#queue.push(this.script.start(), this.script.end("stop"));
        return;
      case "done_before_start":
        this.#give(this.script.end("stop"));
        return;
      case "second_start":
        this.#give(this.script.start());
        this.#queue.push(this.script.end("stop"));
        return;
      case "event_after_end":
        this.#give(this.script.end("stop"));
        this.#give(late);
        return;
      case "iterator_throws":
        this.#give(new Error("connection reset by peer"));
        return;
      case "no_terminal_event":
        this.#close();
        return;
    }
  }

  #give(event: AssistantMessageEvent | Error): void {
    // pi-ai's stream resolves its result from the terminal event; updates would only pile up in its queue.
    if (!(event instanceof Error)) {
      this.given = event;
      this.#witness.given(event);
    }
    if (!(event instanceof Error) && (event.type === "done" || event.type === "error")) super.push(event);
    const pull = this.#pull;
    const reject = this.#rejectPull;
    if (pull === undefined || reject === undefined) {
      this.#queue.push(event);
      return;
    }
    this.#pull = undefined;
    if (event instanceof Error) reject(event);
    else pull({ value: event, done: false });
  }

  #close(): void {
    super.end();
    this.#pull?.({ value: undefined, done: true });
    this.#pull = undefined;
  }

  override [Symbol.asyncIterator](): AsyncGenerator<AssistantMessageEvent, undefined, undefined> {
    const next = (): Promise<IteratorResult<AssistantMessageEvent, undefined>> => {
      const queued = this.#queue.shift();
      if (queued instanceof Error) return Promise.reject(queued);
      if (queued !== undefined) return Promise.resolve({ value: queued, done: false });
      if (this.#ended) return Promise.resolve({ value: undefined, done: true });
      this.#witness.pulled();
      return new Promise((resolve, reject) => {
        this.#pull = resolve as Pull;
        this.#rejectPull = reject;
      });
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
