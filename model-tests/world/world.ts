/**
 * Owns everything nondeterministic around one harness: gated storage, scripted provider, parked listeners and hooks,
 * clock, ids, promises. It performs one action at a time and writes down what the harness does; it knows no machine.
 */
import { isDeepStrictEqual } from "node:util";
import type { AssistantMessage, AssistantMessageFrame, DeferredHandle, Message } from "@earendil-works/pi-ai";
import {
  type Call,
  type CallOutcome,
  type CommitName,
  callOutcomes,
  type DefectKind,
  type StreamEnd,
} from "../../machines/index.ts";
import {
  appendList,
  type CommitResult,
  deleteList,
  pendingAssistantFrames,
  type Storage,
  type Write,
} from "../../src/index.ts";
import type { ActivateOptions, Adapter, Incarnation, ObservedSnapshot, Surroundings } from "../adapters/adapter.ts";
import { type Anomaly, anomaly, anomalyOf } from "./anomalies.ts";
import { Audience, type AudienceHost, type AudienceRecord, emptyAudienceRecord } from "./audience.ts";
import { bounded } from "./bounded.ts";
import { VirtualClock } from "./clock.ts";
import { nameOfCommit } from "./commit-names.ts";
import { currentFrames, type DurableObservation, newestHandle, observeDurable, operationScalars } from "./durable.ts";
import { GatedStorage } from "./gated-storage.ts";
import { SequentialIds } from "./ids.ts";
import { Interpreter } from "./interpreter.ts";
import { landingFact } from "./landing-fact.ts";
import { passThrough } from "./outside-store.ts";
import { ScriptedStream } from "./provider.ts";
import { compareStore } from "./read-back.ts";
import {
  answerRemoteCancel,
  frameAt,
  inventedSayings,
  marked,
  RequestScript,
  type Sayings,
  scriptModel,
} from "./script.ts";
import { emptyRecord, providerFact, type StepRecord } from "./step-record.ts";

/** What waits at a gate of the world rather than at the store. */
export interface Gates {
  listener: (() => void) | undefined;
  hook: (() => void) | undefined;
  tools: (() => void) | undefined;
  stream: ScriptedStream | undefined;
}

const noGates = (): Gates => ({ listener: undefined, hook: undefined, tools: undefined, stream: undefined });

interface Process {
  readonly gate: GatedStorage;
  readonly requested: Set<string>;
  readonly audience: Audience;
  gates: Gates;
  /** How many calls of the application's own listener have not returned. */
  held: number;
  harness: Incarnation | undefined;
  alive: boolean;
  /** Whether the application has asked this process to stop; it holds the session until then. */
  closing: boolean;
}

/** The delay of the captured retry policy: no retry may wait less (O4). */
export const retryBaseDelayMs = 1_000;

export class World implements AudienceHost {
  readonly adapter: Adapter;
  /** What the provider says. */
  readonly sayings: Sayings;
  readonly clock = new VirtualClock();
  readonly durable = new Interpreter();
  record = emptyRecord();
  audienceRecord = emptyAudienceRecord();
  /** Grows whenever the harness touches the world; quiescence is its rest. */
  activity = 0;
  /** Whether what is done is looked at: steps that another run has shown are only repeated. */
  attentive = true;
  /** Set when the adapter answers what no adapter may. */
  nonsense: string | undefined;
  /** Which request streams into which response. */
  readonly requestOf = new Map<string, number>();
  /** The last provider message of each request, before any hook. */
  readonly finalMessages = new Map<number, AssistantMessage>();
  /** Promises that the application still holds. */
  readonly pending = new Map<Call | "snapshot", number>();
  readonly #inner: Storage;
  readonly #ids = new SequentialIds();
  readonly #maxAttempts: number;
  #process: Process | undefined;
  /** Number of the last request. */
  #requests: number;
  #prompts = 0;

  /** @param requestsBefore where the numbers of requests begin, so that two worlds of one harness tell theirs apart. */
  constructor(adapter: Adapter, inner: Storage, maxAttempts: number, requestsBefore = 0, sayings = inventedSayings) {
    this.sayings = sayings;
    this.adapter = adapter;
    this.#inner = inner;
    this.#maxAttempts = maxAttempts;
    this.#requests = requestsBefore;
  }

  // --- what the driver looks at -------------------------------------------------------------------------------------

  get gate(): GatedStorage | undefined {
    return this.#process?.gate;
  }

  get gates(): Gates | undefined {
    return this.#process?.gates;
  }

  get openStoreCalls(): number {
    return this.#process?.gate.openCalls ?? 0;
  }

  observeDurable(): DurableObservation {
    return observeDurable(this.durable);
  }

  /** Hand over what was written down since the last call. */
  takeRecord(): StepRecord {
    const { record } = this;
    this.record = emptyRecord();
    return record;
  }

  /** Hand over what listeners beside the application's own got and did since the last call. */
  takeAudienceRecord(): AudienceRecord {
    const { audienceRecord } = this;
    this.audienceRecord = emptyAudienceRecord();
    return audienceRecord;
  }

  /** Whether the application's own listener has been called and has not returned. */
  get listenerHeld(): boolean {
    return (this.#process?.held ?? 0) > 0;
  }

  // --- processes ----------------------------------------------------------------------------------------------------

  /** Start a process over the same store; the one before it is gone. */
  async boot(): Promise<void> {
    this.kill();
    const process = this.#newProcess();
    this.#process = process;
    const surroundings = this.#surroundings(process, process.gate.asStorage());
    process.harness = await bounded("boot", this.adapter.boot(surroundings));
  }

  /** The process is gone: never answered again, and whatever it still does is a leak. */
  kill(): void {
    const process = this.#process;
    if (process === undefined) return;
    process.alive = false;
    process.audience.leave();
    process.gate.detach();
    this.clock.forget();
    this.pending.clear();
    this.#process = undefined;
  }

  #newProcess(): Process {
    const process: Process = {
      requested: new Set(),
      audience: new Audience(this),
      gates: noGates(),
      held: 0,
      harness: undefined,
      alive: true,
      closing: false,
      gate: new GatedStorage(this.#inner, {
        nameOf: (writes) => nameOfCommit(writes, this.durable, process.requested),
        landed: (name, writes, result) => this.#landed(name, writes, result),
        refused: (name, error) => this.#note(anomaly("the store refused a commit", `${name}: ${error.message}`)),
        leaked: () => this.#note(anomaly("a process that is gone still uses its store")),
        activity: () => {
          this.activity++;
        },
      }),
    };
    return process;
  }

  async #landed(name: CommitName | "internal", writes: readonly Write[], result: CommitResult): Promise<void> {
    try {
      this.durable.apply(writes, result);
      if (!this.attentive) return;
      this.record.landings.push(landingFact(name, writes, this.durable));
      await compareStore(this.#inner, this.durable, writes);
    } catch (error) {
      this.#note(anomalyOf(error));
    }
  }

  #surroundings(process: Process, storage: Storage): Surroundings {
    const enter = (): boolean => {
      if (process.alive) this.activity++;
      else this.#note(anomaly("a process that is gone still acts"));
      return process.alive;
    };
    const never = <T>(): Promise<T> => new Promise(() => {});
    return {
      storage,
      clock: this.clock,
      ids: this.#ids,
      model: scriptModel,
      retry: { maxAttempts: this.#maxAttempts, baseDelayMs: retryBaseDelayMs },
      models: {
        getModel: () => scriptModel,
        streamSimple: (_model, context, options) => this.#request(process, context.messages, options?.signal),
        streamDeferred: (_model, handle, options) => this.#poll(process, handle, options?.signal),
        cancelDeferred: (_model, handle) => this.#remoteCancel(process, handle),
      },
      afterResponse: (message) => {
        if (!enter()) return never();
        this.record.hooks++;
        return new Promise((resolve) => {
          process.gates.hook = () => resolve(marked(message));
        });
      },
      runTools: (calls) => {
        if (!enter()) return never();
        this.record.tools++;
        return new Promise((resolve) => {
          process.gates.tools = () => resolve(calls.map((call) => `result of ${call.toolCallId}`));
        });
      },
      deliver: (event) => {
        if (!enter()) return never();
        this.record.events.push(process.audience.announced(event));
        // Only a live stream waits for its listeners (C1), whatever tag its events carry.
        const live = process.gates.stream?.live ?? false;
        const parks = live && (event.name === "message_start" || event.name === "message_update");
        if (!parks) return Promise.resolve();
        process.held++;
        return new Promise((resolve) => {
          process.gates.listener = () => {
            process.held--;
            resolve();
          };
        });
      },
      rogues: process.audience.rogues,
    };
  }

  #request(process: Process, context: readonly Message[], signal: AbortSignal | undefined): ScriptedStream {
    const contextStops = context.flatMap((message) => (message.role === "assistant" ? [message.stopReason] : []));
    return this.#stream(process, signal, (response) => this.record.requests.push({ response, contextStops }));
  }

  #poll(process: Process, handle: DeferredHandle, signal: AbortSignal | undefined): ScriptedStream {
    return this.#stream(process, signal, (response) => {
      this.record.polls.push({ response, handle: handle.id });
      this.#expectNewest(handle);
    });
  }

  /** A poll, and a remote cancel, are about the newest deferred response. */
  #expectNewest(handle: DeferredHandle): void {
    const newest = newestHandle(this.durable);
    if (!isDeepStrictEqual(handle, newest)) {
      this.#note(
        anomaly(
          "a deferred handle that is not the newest was used",
          `${JSON.stringify(handle)} instead of ${JSON.stringify(newest)}`,
        ),
      );
    }
  }

  /** The provider may refuse, throw or hang: nothing may come of it (G4). */
  #remoteCancel(process: Process, handle: DeferredHandle): Promise<void> {
    if (!process.alive) {
      this.#note(anomaly("a process that is gone asks the provider to give up a response"));
      return new Promise(() => {});
    }
    this.activity++;
    this.record.remoteCancels.push(handle.id);
    this.#expectNewest(handle);
    return answerRemoteCancel(handle);
  }

  #stream(process: Process, signal: AbortSignal | undefined, note: (response: string) => void): ScriptedStream {
    const request = ++this.#requests;
    const response = operationScalars(this.durable)?.responseEntryId ?? "none";
    if (process.alive) {
      this.activity++;
      note(response);
      process.requested.add(response);
      this.requestOf.set(response, request);
    } else this.#note(anomaly("a process that is gone makes a request"));
    const stream = new ScriptedStream(new RequestScript(request, this.clock.now(), this.sayings), signal, {
      pulled: () => {
        if (process.alive) this.activity++;
      },
      signalled: () => {
        if (!process.alive) return;
        this.activity++;
        if (process.gates.stream === stream) this.record.signals++;
      },
      given: (event) => this.record.provider.push(providerFact(event)),
    });
    process.gates.stream = stream;
    return stream;
  }

  // --- calls of the application -------------------------------------------------------------------------------------

  accept(): void {
    // What an earlier operation left waiting is nobody's business any more.
    if (this.#process !== undefined && operationScalars(this.durable) === undefined) this.#process.gates = noGates();
    const prompt = `prompt ${++this.#prompts}`;
    this.#call("accept", (harness) => harness.accept(prompt));
  }

  activate(options: ActivateOptions): void {
    this.#call("activate", (harness) => harness.activate(options));
  }

  cancel(): void {
    this.#call("cancel", (harness) => harness.cancel());
  }

  finalize(): void {
    this.#call("finalize", (harness) => harness.finalize());
  }

  get closing(): boolean {
    return this.#process?.closing ?? false;
  }

  close(): void {
    if (this.#process !== undefined) this.#process.closing = true;
    this.#call("close", (harness) => harness.close());
  }

  /** An outside party ends the operation on the storage; no process holds the session. */
  async finalizeOffline(): Promise<void> {
    const process = this.#newProcess();
    const storage = passThrough(this.#inner, (writes, result) =>
      this.#landed(nameOfCommit(writes, this.durable, process.requested), writes, result),
    );
    const outcome = await this.adapter.finalizeOffline(this.#surroundings(process, storage));
    process.alive = false;
    this.record.calls.push({ call: "finalize", outcome });
    this.activity++;
  }

  /** Somebody else has rewritten the frame list of the pending response, which keeps the provider's order. */
  async resizeFrames(size: (listed: number) => number): Promise<void> {
    const state = operationScalars(this.durable);
    const frames = currentFrames(this.durable);
    if (state?.responseEntryId === undefined) throw new Error("No response is pending");
    const request = this.requestOf.get(state.responseEntryId) ?? 0;
    const address = pendingAssistantFrames(state.operationId, state.responseEntryId);
    const kept = Array.from(
      { length: size(frames.length) },
      (_, at) => frames[at]?.element.value ?? frameAt(request, at + 1, this.sayings),
    );
    const writes = [deleteList(address), ...kept.map((frame) => appendList(address, frame as AssistantMessageFrame))];
    const result = await this.#inner.commit(writes);
    this.durable.apply(writes, result);
    this.activity++;
  }

  /** A reader takes a snapshot, and another one stays to be told what comes after (I5). */
  snapshot(): void {
    const process = this.#process;
    const harness = process?.harness;
    if (process === undefined || harness === undefined) throw new Error("No process to take a snapshot of");
    const shows = (snapshot: ObservedSnapshot) => this.record.snapshots.push(snapshot);
    this.#follow("snapshot", harness.snapshot(), shows);
    this.#follow("snapshot", process.audience.watch(harness), shows);
  }

  /**
   * Somebody may want to be told from the very moment on at which the next action is performed (I5). One does for certain
   * where an outside party has ended the operation and the process does not know it yet (K3).
   */
  admitLatecomer(): void {
    const { harness, audience, gate } = this.#process ?? {};
    const [head] = gate?.parked ?? [];
    if (harness !== undefined) audience?.admitLatecomer(harness, head?.landed === true && head.name === "finalize");
  }

  #call(call: Call, issue: (harness: Incarnation) => Promise<CallOutcome>): void {
    const harness = this.#process?.harness;
    if (harness === undefined) throw new Error(`No process to ${call}`);
    this.#follow(call, issue(harness), (outcome) => {
      if (!callOutcomes.includes(outcome))
        this.nonsense = `the adapter answered ${call} with ${JSON.stringify(outcome)}`;
      this.record.calls.push({ call, outcome });
    });
  }

  #follow<T>(what: Call | "snapshot", promise: Promise<T>, settled: (value: T) => void): void {
    const process = this.#process;
    if (typeof (promise as Partial<Promise<T>> | undefined)?.then !== "function") {
      this.nonsense = `the adapter answered ${what} with no promise`;
      return;
    }
    this.pending.set(what, (this.pending.get(what) ?? 0) + 1);
    const done = (): boolean => {
      if (process?.alive !== true) return false;
      this.activity++;
      this.pending.set(what, (this.pending.get(what) ?? 1) - 1);
      return true;
    };
    promise.then(
      (value) => {
        if (done()) settled(value);
      },
      (error: unknown) => {
        if (!done()) return;
        if (what === "snapshot") this.record.snapshotsRefused++;
        else this.#note(anomaly("a call rejected with an untyped error", `${what}: ${String(error)}`));
      },
    );
  }

  // --- provider, listeners, hooks, tools, time ------------------------------------------------------------------------

  /** The stream that waits for its next event, if one does. */
  get pulledStream(): ScriptedStream | undefined {
    const stream = this.#process?.gates.stream;
    return stream?.pulled === true ? stream : undefined;
  }

  endStream(end: StreamEnd): void {
    const stream = this.pulledStream as ScriptedStream;
    this.finalMessages.set(stream.script.request, stream.finish(end));
  }

  defect(kind: DefectKind): void {
    this.pulledStream?.defect(kind);
  }

  /** Open a gate; answers whether something waited there. */
  release(gate: "listener" | "hook" | "tools"): boolean {
    const gates = this.#process?.gates;
    const open = gates?.[gate];
    if (gates === undefined || open === undefined) return false;
    gates[gate] = undefined;
    open();
    return true;
  }

  /** Step the clock to the `notBefore` that the durable state names (O4). */
  async tick(): Promise<void> {
    const notBefore = operationScalars(this.durable)?.notBefore;
    if (notBefore !== undefined) await this.clock.stepTo(notBefore);
    this.activity++;
  }

  /** An error that nobody awaited while this world was driven. */
  stray(error: unknown): void {
    this.#note(anomaly("an error that nobody awaits", error instanceof Error ? error.message : String(error)));
  }

  #note(found: Anomaly): void {
    this.activity++;
    this.record.anomalies.push(found);
  }
}
