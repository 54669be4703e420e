/** Records every event of every request that goes through a provider (P2). Nothing is recorded unless a host asks for it. */
import type { AssistantMessageEvent, Model } from "@earendil-works/pi-ai";
import { type Clock, systemClock } from "../../session/clock.ts";
import { footerRow, headerRow, lineOf } from "../fixture/encode.ts";
import type { Row } from "../fixture/rows.ts";
import { RelayStream } from "../relay.ts";
import { Redactor } from "./redact.ts";
import { RequestRecorder } from "./request-recorder.ts";
import type { FixtureSink } from "./sink.ts";

/** Options of a recorder. */
export interface RecorderOptions {
  sink: FixtureSink;
  /** Default: the clock of the machine. */
  clock?: Clock;
  /**
   * How long deltas may wait for others of their run, in milliseconds: what a kill may cost. Longer waits make smaller
   * files, which `packFixture` does afterwards at no risk. Default: 0, each burst is written when it is over.
   */
  flushMs?: number;
  /**
   * Values that must not be written, apart from the keys, headers and environment of the requests, which the recorder
   * knows: a key that the provider finds for itself, for example.
   */
  secrets?: readonly string[];
}

/** The provider methods that answer a stream; of pi-ai's `Models` and `Provider`. */
const streaming: ReadonlySet<string | symbol> = new Set(["stream", "streamSimple", "streamDeferred", "fetchDeferred"]);

type Method = (...given: unknown[]) => unknown;

/**
 * Writes one fixture. Requests, options, headers, keys and prompts are not written; only what the provider answers is.
 * A recorder never holds a stream up and never fails one: when its sink fails, `close` says so.
 */
export class FixtureRecorder {
  readonly #sink: FixtureSink;
  readonly #clock: Clock;
  readonly #flushMs: number;
  readonly #redactor: Redactor;
  readonly #startedAt: number;
  readonly #open = new Set<RequestRecorder>();
  readonly #ending = new AbortController();
  #requests = 0;
  #closing: Promise<void> | undefined;
  #flushing = false;

  constructor({ sink, clock = systemClock, flushMs = 0, secrets = [] }: RecorderOptions) {
    this.#sink = sink;
    this.#clock = clock;
    this.#flushMs = flushMs;
    this.#redactor = new Redactor(secrets);
    this.#startedAt = Math.round(clock.now());
    sink.write(lineOf(headerRow(this.#startedAt)));
  }

  /** The same provider, or collection of providers, whose streams are recorded. */
  wrap<T extends object>(provider: T): T {
    return new Proxy(provider, {
      get: (target, name) => {
        const member = Reflect.get(target, name, target);
        if (typeof member !== "function") return member;
        const method: Method = member.bind(target);
        return streaming.has(name) ? this.#recorded(String(name), method) : method;
      },
    });
  }

  /**
   * Writes what is held back and the end of the fixture. Streams that still run go on without being recorded. Idempotent.
   *
   * @throws what the sink failed with.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#flush();
    this.#sink.write(lineOf(footerRow(this.#requests)));
    this.#ending.abort();
    await this.#sink.close();
  }

  #recorded(call: string, method: Method): Method {
    return (...given) => {
      if (this.#ending.signal.aborted) return method(...given);
      const [model, , options] = given as [Model<string>, unknown, { signal?: AbortSignal } | undefined];
      this.#redactor.learn(model, options);
      const started = this.#now();
      const elapsed = () => this.#now() - started;
      const recorder = this.#begin(call, model, started);
      try {
        const answer = method(...given);
        if (!isStream(answer)) {
          this.#finish(recorder, () => recorder.ended(elapsed()));
          return answer;
        }
        return this.#follow(recorder, answer, elapsed, options?.signal);
      } catch (error) {
        this.#finish(recorder, () => recorder.end({ at: elapsed(), kind: "threw", message: messageOf(error) }));
        throw error;
      }
    };
  }

  #begin(call: string, { provider, id, api }: Model<string>, started: number): RequestRecorder {
    const request = { at: started - this.#startedAt, call, model: { provider, id, api } };
    const recorder = new RequestRecorder(this.#requests++, request, (row) => this.#write(row));
    this.#open.add(recorder);
    return recorder;
  }

  /** Reads the stream as fast as it comes, whatever its reader does, so that times and bursts are the provider's. */
  #follow(
    recorder: RequestRecorder,
    source: AsyncIterable<AssistantMessageEvent>,
    elapsed: () => number,
    signal: AbortSignal | undefined,
  ): RelayStream {
    const relay = new RelayStream();
    const abort = () => recorder.aborted(elapsed());
    if (signal?.aborted) abort();
    else signal?.addEventListener("abort", abort, { once: true });
    const pump = async () => {
      try {
        for await (const event of source) {
          recorder.event(elapsed(), event);
          this.#flushLater();
          relay.give(event);
        }
        this.#finish(recorder, () => recorder.ended(elapsed()));
        relay.close();
      } catch (error) {
        this.#finish(recorder, () => recorder.end({ at: elapsed(), kind: "threw", message: messageOf(error) }));
        relay.fail(error);
      } finally {
        signal?.removeEventListener("abort", abort);
      }
    };
    void pump();
    return relay;
  }

  #finish(recorder: RequestRecorder, end: () => void): void {
    this.#open.delete(recorder);
    end();
  }

  #flushLater(): void {
    if (this.#flushing || ![...this.#open].some(({ holds }) => holds)) return;
    this.#flushing = true;
    void this.#clock.sleepUntil(this.#clock.now() + this.#flushMs, this.#ending.signal).then(() => {
      this.#flushing = false;
      this.#flush();
    });
  }

  #flush(): void {
    for (const recorder of this.#open) recorder.flush();
  }

  #write(row: Row): void {
    if (!this.#ending.signal.aborted) this.#sink.write(lineOf(this.#redactor.clean(row)));
  }

  #now(): number {
    return Math.round(this.#clock.now());
  }
}

function isStream(answer: unknown): answer is AsyncIterable<AssistantMessageEvent> {
  return typeof answer === "object" && answer !== null && Symbol.asyncIterator in answer;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
