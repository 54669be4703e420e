// Shared by the tests beside it.
import type {
  Api,
  AssistantMessage,
  AssistantMessageEvent,
  AssistantMessageEventStream,
  Context,
  DeferredFetchOptions,
  DeferredHandle,
  Model,
} from "@earendil-works/pi-ai";
import { createAssistantMessageEventStream } from "@earendil-works/pi-ai/utils/event-stream";
import { type Harness, openHarness } from "../../harness/harness.ts";
import type { Lane } from "../../harness/lane.ts";
import type { HarnessEvent } from "../../harness/listening/events.ts";
import type { HarnessOptions, ProviderModels } from "../../harness/options.ts";
import type { Clock } from "../../session/clock.ts";
import type { IdSource } from "../../session/ids.ts";
import { Session } from "../../session/session.ts";
import type { CommitResult, Storage } from "../../storage/contract/storage.ts";
import { zeroUsage } from "../../storage/contract/usage-totals.ts";
import type { Write } from "../../storage/contract/writes.ts";
import { MemoryStorage } from "../../storage/memory/memory.ts";
import { wrapStorage } from "../../storage/wrap-storage.ts";

/** Lets everything run that can. */
export async function quiet(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Parks commits at their arrival while armed. */
export class ParkingStorage extends MemoryStorage {
  armed = false;
  readonly parked: { writes: Write[]; land(): void; landUnreplied(): void; fail(error: Error): void }[] = [];

  override commit(writes: Write[]): Promise<CommitResult> {
    if (!this.armed) return super.commit(writes);
    return new Promise((resolve, reject) => {
      const land = () => void super.commit(writes).then(resolve, reject);
      const landUnreplied = () => void super.commit(writes);
      this.parked.push({ writes, land, landUnreplied, fail: reject });
    });
  }

  /** Lands the oldest parked commit and lets everything run. */
  async land(): Promise<void> {
    const commit = this.parked.shift();
    if (commit === undefined) throw new Error("No commit is parked");
    commit.land();
    await quiet();
  }

  /** Ends the process above: the first `landing` parked commits are durable, and it hears of none of them. */
  async crash(landing: number): Promise<void> {
    for (const commit of this.parked.splice(0).slice(0, landing)) commit.landUnreplied();
    this.armed = false;
    await quiet();
  }
}

/** Moves only when told. */
export class ManualClock implements Clock {
  #now: number;
  readonly #sleepers = new Set<() => void>();

  constructor(now = 1_000) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  sleepUntil(timeMs: number, _signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        if (this.#now < timeMs) return;
        this.#sleepers.delete(wake);
        resolve();
      };
      this.#sleepers.add(wake);
    });
  }

  async set(timeMs: number): Promise<void> {
    this.#now = timeMs;
    for (const wake of [...this.#sleepers]) wake();
    await quiet();
  }
}

const model = {
  id: "small",
  name: "Small",
  api: "fake-api",
  provider: "fake",
  baseUrl: "",
  reasoning: false,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 1_000,
  maxTokens: 100,
} as Model<Api>;

export function assistant(text: string, changes: Partial<AssistantMessage> = {}): AssistantMessage {
  return {
    role: "assistant",
    content: text === "" ? [] : [{ type: "text", text }],
    api: "fake-api",
    provider: "fake",
    model: "small",
    usage: zeroUsage(),
    stopReason: "stop",
    timestamp: 5,
    ...changes,
  };
}

/** One request, whose stream the test writes. */
export interface FakeRequest {
  readonly context: Context;
  readonly signal: AbortSignal | undefined;
  readonly stream: AssistantMessageEventStream;
  push(...events: AssistantMessageEvent[]): Promise<void>;
}

/** One poll, whose stream the test writes. */
export interface FakePoll extends Omit<FakeRequest, "context"> {
  readonly handle: DeferredHandle;
  readonly options: DeferredFetchOptions | undefined;
}

export class FakeProvider implements ProviderModels {
  readonly requests: FakeRequest[] = [];
  readonly polls: FakePoll[] = [];
  readonly cancels: { readonly handle: DeferredHandle; readonly signal: AbortSignal | undefined }[] = [];
  readonly #waiting: (() => void)[] = [];
  /** The only model there is. */
  model: Model<Api> | undefined = model;
  /** How a remote cancel goes. */
  cancelling: () => Promise<void> = async () => {};

  getModel(provider: string, id: string): Model<Api> | undefined {
    return provider === "fake" && id === "small" ? this.model : undefined;
  }

  streamSimple(_model: Model<Api>, context: Context, options?: { signal?: AbortSignal }): AssistantMessageEventStream {
    const written = writtenStream();
    this.requests.push({ context, signal: options?.signal, ...written });
    for (const tell of this.#waiting.splice(0)) tell();
    return written.stream;
  }

  /** Resolves with the next request: over a file no number of turns says when it comes. */
  async nextRequest(): Promise<FakeRequest> {
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.last;
  }

  streamDeferred(
    _model: Model<Api>,
    handle: DeferredHandle,
    options?: DeferredFetchOptions,
  ): AssistantMessageEventStream {
    const written = writtenStream();
    this.polls.push({ handle, options, signal: options?.signal, ...written });
    return written.stream;
  }

  cancelDeferred(_model: Model<Api>, handle: DeferredHandle, options?: { signal?: AbortSignal }): Promise<void> {
    this.cancels.push({ handle, signal: options?.signal });
    return this.cancelling();
  }

  get last(): FakeRequest {
    return newest(this.requests);
  }

  get lastPoll(): FakePoll {
    return newest(this.polls);
  }
}

function newest<T>(requests: readonly T[]): T {
  const request = requests.at(-1);
  if (request === undefined) throw new Error("No request was made");
  return request;
}

function writtenStream(): Pick<FakeRequest, "stream" | "push"> {
  const stream = createAssistantMessageEventStream();
  const push = async (...events: AssistantMessageEvent[]) => {
    for (const event of events) stream.push(event);
    await quiet();
  };
  return { stream, push };
}

/** Start, one block with this text, and no end. */
export function beginning(text: string): AssistantMessageEvent[] {
  const partial = assistant("", { stopReason: "pending", content: [{ type: "text", text: "" }] });
  const block = partial.content[0];
  if (block?.type === "text") block.text = text;
  const early = assistant("", { stopReason: "pending", content: [{ type: "text", text: "" }] });
  return [
    { type: "start", partial },
    { type: "text_start", contentIndex: 0, partial: early },
    { type: "text_delta", contentIndex: 0, delta: text, partial },
  ];
}

export function done(message: AssistantMessage): AssistantMessageEvent {
  const reason = message.stopReason;
  if (reason === "error" || reason === "aborted") return { type: "error", reason, error: message };
  if (reason === "pending") throw new Error("A pending message is not done");
  return { type: "done", reason, message };
}

class CountingIds implements IdSource {
  readonly #prefix: string;
  #count = 0;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  next(): string {
    return `${this.#prefix}${++this.#count}`;
  }
}

export interface World {
  storage: ParkingStorage;
  clock: ManualClock;
  provider: FakeProvider;
  session: Session;
  harness: Harness;
  lane: Lane;
  events: HarnessEvent[];
}

let incarnation = 0;

/** A harness with one lane over a store; a second call on the same store is a reopen. */
export async function openWorld(
  options: Partial<HarnessOptions> = {},
  storage = new ParkingStorage(),
  clock = new ManualClock(),
): Promise<World> {
  const provider = new FakeProvider();
  const events: HarnessEvent[] = [];
  // A handle of its own, as each process has: what went before may have been left without a close.
  const session = new Session(wrapStorage(storage as Storage, {}), {
    clock,
    ids: new CountingIds(`i${++incarnation}-`),
  });
  const harness = await openHarness({
    session,
    models: provider,
    model: { provider: "fake", modelId: "small" },
    onEvent: (event) => {
      events.push(event);
    },
    ...options,
  });
  const lane = await harness.lane("main");
  return { storage, clock, provider, session, harness, lane, events };
}

export function types(events: readonly HarnessEvent[]): string[] {
  return events.map((event) => event.type);
}
