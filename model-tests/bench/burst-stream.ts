/** A provider that always has its next event ready: what time passes in its stream is the harness's own. */
import type { AssistantMessageEvent, Models } from "@earendil-works/pi-ai";
import { AssistantMessageEventStream } from "@earendil-works/pi-ai/utils/event-stream";
import { RequestScript, scriptModel } from "../world/script.ts";

/** An even request streams text. */
export const textRequest = 2;

export interface BurstOptions {
  /** How many events give a frame: the start, the start of a block, then deltas. At least 2. */
  readonly frames: number;
  /** Whether the terminal event follows; otherwise the provider falls silent. */
  readonly ends: boolean;
}

export class BurstStream extends AssistantMessageEventStream {
  readonly #script = new RequestScript(textRequest, Date.now());
  readonly #options: BurstOptions;
  readonly #exhausted: () => void;
  #given = 0;
  #askedFirstMs: number | undefined;
  #gaveLastMs: number | undefined;
  /** Resolves when everything was given and more was asked for. */
  readonly exhausted: Promise<void>;

  constructor(options: BurstOptions) {
    super();
    this.#options = options;
    let exhausted = () => {};
    this.exhausted = new Promise((resolve) => {
      exhausted = resolve;
    });
    this.#exhausted = exhausted;
  }

  /** When the terminal event was handed out, by `performance.now()`. */
  get endedAtMs(): number {
    return required(this.#gaveLastMs);
  }

  /** From the first demand for an event to the last event. */
  get durationMs(): number {
    return this.endedAtMs - required(this.#askedFirstMs);
  }

  override [Symbol.asyncIterator](): AsyncGenerator<AssistantMessageEvent, undefined, undefined> {
    const iterator = {
      next: () => this.#next(),
      return: () => Promise.resolve({ value: undefined, done: true as const }),
      throw: (error: unknown) => Promise.reject(error),
      [Symbol.asyncIterator]: () => iterator,
    };
    return iterator as unknown as AsyncGenerator<AssistantMessageEvent, undefined, undefined>;
  }

  #next(): Promise<IteratorResult<AssistantMessageEvent, undefined>> {
    this.#askedFirstMs ??= performance.now();
    const { frames, ends } = this.#options;
    const position = this.#given++;
    if (position === 0) return given(this.#script.start());
    if (position < frames) return given(this.#script.update());
    if (position === frames && ends) return this.#end();
    this.#exhausted();
    return ends ? Promise.resolve({ value: undefined, done: true }) : new Promise(() => {});
  }

  #end(): Promise<IteratorResult<AssistantMessageEvent, undefined>> {
    const event = this.#script.end("stop");
    // pi-ai's stream resolves its result from the terminal event.
    this.push(event);
    this.#gaveLastMs = performance.now();
    return given(event);
  }
}

/** Models of which only one request can be made, answered by `stream`; without one, none can be made. */
export function modelsWith(stream?: BurstStream): Models {
  const refuse = () => {
    throw new Error("The benchmark scripts no such call");
  };
  const part: Pick<Models, "getModel" | "streamSimple" | "streamDeferred" | "cancelDeferred"> = {
    getModel: () => scriptModel,
    streamSimple: () => stream ?? refuse(),
    streamDeferred: refuse,
    cancelDeferred: refuse,
  };
  // Neither harness asks for the rest here: contexts are small and nothing is compacted.
  return part as Models;
}

const given = (value: AssistantMessageEvent) => Promise.resolve({ value, done: false as const });

function required(timeMs: number | undefined): number {
  if (timeMs === undefined) throw new Error("The stream has not come so far");
  return timeMs;
}
