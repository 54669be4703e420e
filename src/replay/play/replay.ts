/** A provider that plays a fixture back (P3): the same events, bursts and ends as were recorded. */
import { setImmediate as turn } from "node:timers/promises";
import type { Api, AssistantMessage, AssistantMessageEventStream, Model } from "@earendil-works/pi-ai";
import { ReplayRefused } from "../../errors.ts";
import type { ProviderModels } from "../../harness/options.ts";
import type { Fixture, RecordedModel, RecordedRequest } from "../fixture/fixture.ts";
import { copyOf } from "../fixture/json-text.ts";
import { StreamPlayer } from "../fixture/player.ts";
import { RelayStream } from "../relay.ts";
import { burstsOf } from "./bursts.ts";
import { modelOf } from "./model.ts";
import { type Pace, recordedPace } from "./pace.ts";

/** Options of a replay. */
export interface ReplayOptions {
  /** Default: the recorded times. */
  pace?: Pace;
  /** Overrides of what the fixture does not record of a model, such as its context window. */
  model?: Partial<Model<Api>>;
}

/** A replayed provider. */
export interface ReplayModels extends ProviderModels {
  /** The recorded requests that were not asked for yet. */
  readonly remaining: number;
}

/**
 * Answers the first request with the first recorded one, and so on, whatever the prompt is. A signal ends the stream that it
 * belongs to with an aborted message of what was shown so far, as a provider does.
 *
 * @throws {ReplayRefused} (by the provider's methods) when there is no recorded request left, or the next one was made by
 *   another method.
 */
export function replayModels(fixture: Fixture, { pace = recordedPace(), model }: ReplayOptions = {}): ReplayModels {
  let next = 0;
  const answer = (call: string, signal: AbortSignal | undefined): AssistantMessageEventStream => {
    const request = fixture.requests[next];
    if (request === undefined) throw new ReplayRefused(`The fixture holds ${next} requests, and all were played`);
    if (request.call !== call) {
      throw new ReplayRefused(`Request ${next} was recorded from ${request.call}, but ${call} was called`);
    }
    next++;
    return playRequest(request, pace, signal);
  };
  return {
    get remaining() {
      return fixture.requests.length - next;
    },
    getModel: (provider, id) => {
      const known = fixture.requests.find((request) => request.model.provider === provider && request.model.id === id);
      return known === undefined ? undefined : { ...modelOf(known.model), ...model };
    },
    streamSimple: (_model, _context, options) => answer("streamSimple", options?.signal),
    streamDeferred: (_model, _handle, options) => answer("streamDeferred", options?.signal),
    cancelDeferred: async () => {},
  };
}

/** Plays one recorded request as a provider stream. */
export function playRequest(
  request: RecordedRequest,
  pace: Pace,
  signal: AbortSignal = new AbortController().signal,
): AssistantMessageEventStream {
  const stream = new RelayStream();
  const { events, end } = request;
  if (events.length === 0 && end?.kind === "threw") throw new Error(end.message);
  // A pace that rejects ends the stream as a provider that throws does.
  new Playing(request, pace, signal, stream).run().catch((error: unknown) => stream.fail(error));
  return stream;
}

/** One stream that is being played. */
class Playing {
  readonly #request: RecordedRequest;
  readonly #pace: Pace;
  readonly #signal: AbortSignal;
  readonly #stream: RelayStream;
  readonly #player = new StreamPlayer();
  #at = 0;

  constructor(request: RecordedRequest, pace: Pace, signal: AbortSignal, stream: RelayStream) {
    this.#request = request;
    this.#pace = pace;
    this.#signal = signal;
    this.#stream = stream;
  }

  async run(): Promise<void> {
    const { events, end } = this.#request;
    for (const { from, to } of burstsOf(events)) {
      if (!(await this.#reach(events[from]?.at ?? 0))) return this.#abort();
      for (let index = from; index < to; index++) this.#stream.give(this.#player.play(events, index));
      // A reader that keeps up takes what it was given before more is shown.
      await turn();
    }
    if (end?.kind === "complete") return this.#stream.close();
    // A recording that stops before the end leaves its reader waiting, as the provider did, until the signal is pulled.
    if (end === undefined) await pulled(this.#signal);
    else await this.#reach(end.at);
    if (this.#signal.aborted) return this.#abort();
    if (end?.kind === "threw") this.#stream.fail(new Error(end.message));
    else if (end?.kind === "defect") this.#stream.give(copyOf(end.event));
    this.#stream.close();
  }

  /** Answers whether the stream goes on. */
  async #reach(at: number): Promise<boolean> {
    if (!this.#signal.aborted) await this.#pace(at - this.#at, this.#signal);
    this.#at = at;
    return !this.#signal.aborted;
  }

  #abort(): void {
    const shown = copyOf(this.#player.partial);
    const base = shown.role === undefined ? emptyMessage(this.#request.model) : shown;
    const error: AssistantMessage = { ...base, stopReason: "aborted", errorMessage: "Request was aborted" };
    this.#stream.give({ type: "error", reason: "aborted", error });
    this.#stream.close();
  }
}

function pulled(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

/** What an answer looks like that was aborted before it began. */
function emptyMessage({ provider, id, api }: RecordedModel): AssistantMessage {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost };
  return { role: "assistant", content: [], api, provider, model: id, usage, stopReason: "aborted", timestamp: 0 };
}
