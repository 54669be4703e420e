/**
 * One incarnation of the harness: the gates that it waits at, and the surroundings that the adapter gives it. When the process
 * is gone nothing answers any more, and whatever it still does is an anomaly.
 */
import { isDeepStrictEqual } from "node:util";
import type { DeferredHandle, Message, Model } from "@earendil-works/pi-ai";
import { maxToolRuns, plannedTools, toolNames } from "../../machines/index.ts";
import type { Storage } from "../../src/index.ts";
import type { Incarnation, ObservedSnapshot, Surroundings } from "../adapters/adapter.ts";
import type { Blocks, Sayings } from "../contents/beat.ts";
import { type Anomaly, anomaly } from "./anomalies.ts";
import type { Audience } from "./audience.ts";
import { newestHandle, operationScalars } from "./durable.ts";
import type { GatedStorage } from "./gated-storage.ts";
import type { Interpreter } from "./interpreter.ts";
import { ScriptedStream } from "./provider.ts";
import { answerRemoteCancel, marked, RequestScript, resultText, retryBaseDelayMs, scriptModel } from "./script.ts";
import { providerFact, type StepRecord } from "./step-record.ts";

import type { Witness } from "./values/witness.ts";

/** What waits at a gate of the world rather than at the store. */
export interface Gates {
  listener: (() => void) | undefined;
  hook: (() => void) | undefined;
  /** The calls that run, by the names of their tools. */
  readonly tools: Map<string, () => void>;
  stream: ScriptedStream | undefined;
}

const noGates = (): Gates => ({ listener: undefined, hook: undefined, tools: new Map(), stream: undefined });

/** What outlives a process, as far as its surroundings need it. */
export interface ProcessHost {
  readonly record: StepRecord;
  readonly clock: Surroundings["clock"];
  readonly ids: Surroundings["ids"];
  readonly durable: Interpreter;
  readonly sayings: Sayings;
  readonly maxAttempts: number;
  /** Which request streams into which response. */
  readonly requestOf: Map<string, number>;
  /** What each request says. */
  readonly scripts: Map<number, RequestScript>;
  /** The number of a new request. */
  nextRequest(): number;
  /** Looks at what is told and asked for. */
  readonly witness: Witness;
  /** The harness has touched the world. */
  touched(): void;
  note(found: Anomaly): void;
}

const never = <T>(): Promise<T> => new Promise(() => {});

/** What a process has seen of its surroundings, by which its transactions are told apart. */
export interface Seen {
  /** The responses for which it has made a request. */
  readonly requested: Set<string>;
  /** The tool calls that have returned to it. */
  readonly returned: Set<string>;
}

export class Process {
  readonly gate: GatedStorage;
  readonly audience: Audience;
  /** What it has asked of its surroundings. */
  readonly seen: Seen = { requested: new Set(), returned: new Set() };
  harness: Incarnation | undefined;
  /** Whether the application has asked it to stop; it holds the session until then. */
  closing = false;
  readonly #host: ProcessHost;
  #gates = noGates();
  /** How many calls of the application's own listener have not returned. */
  #held = 0;
  #alive = true;
  /** The signal that the hook, and each tool, was given last. */
  readonly #signals = new Map<string, AbortSignal | undefined>();
  /** What the live message showed when its listener was last given something. */
  #heard: Blocks | undefined;

  constructor(host: ProcessHost, audience: Audience, newGate: (seen: Seen) => GatedStorage) {
    this.#host = host;
    this.audience = audience;
    this.gate = newGate(this.seen);
  }

  get alive(): boolean {
    return this.#alive;
  }

  get gates(): Readonly<Gates> {
    return this.#gates;
  }

  /** Of the hook and the tools that run, as far as they were given signals: how many were pulled, and how many not (F5). */
  get heldSignals(): readonly boolean[] {
    const held = [...(this.#gates.hook === undefined ? [] : ["hook"]), ...this.#gates.tools.keys()];
    return held.flatMap((name) => this.#signals.get(name)?.aborted ?? []);
  }

  /** Whether the application's own listener has been called and has not returned. */
  get listenerHeld(): boolean {
    return this.#held > 0;
  }

  /** Whether a reader is shown less of the live stream than the listener was given before (I1). */
  isBehind({ streamingMessage }: ObservedSnapshot): boolean {
    const stream = this.#gates.stream;
    if (stream === undefined || !stream.live || this.#heard === undefined || !this.#owns(stream)) return false;
    const content = streamingMessage?.content;
    return !isDeepStrictEqual(content, this.#heard) && !isDeepStrictEqual(content, stream.script.shown);
  }

  /** Whether the pending response of a running operation is what streams. */
  #owns({ script }: ScriptedStream): boolean {
    const state = operationScalars(this.#host.durable);
    if (state === undefined || state.cancelled || state.responseEntryId === undefined) return false;
    return this.#host.requestOf.get(state.responseEntryId) === script.request;
  }

  /** The process is gone. */
  end(): void {
    this.#alive = false;
    this.audience.leave();
    this.gate.detach();
  }

  /** What an earlier operation left waiting is nobody's business any more. */
  forgetWaiting(): void {
    this.#gates = noGates();
  }

  /** Open a gate; answers whether something waited there. */
  release(gate: "listener" | "hook"): boolean {
    const open = this.#gates[gate];
    if (open === undefined) return false;
    this.#gates[gate] = undefined;
    if (gate === "hook" && this.#gates.stream !== undefined) this.#gates.stream.hooked = true;
    open();
    return true;
  }

  /** A call of this tool returns; answers whether one ran. */
  returnTool(tool: string): boolean {
    const open = this.#gates.tools.get(tool);
    this.#gates.tools.delete(tool);
    open?.();
    return open !== undefined;
  }

  /** What the adapter gives the harness of this process. */
  surroundings(storage: Storage): Surroundings {
    const { clock, ids, maxAttempts } = this.#host;
    return {
      storage,
      clock,
      ids,
      model: scriptModel,
      retry: { maxAttempts, baseDelayMs: retryBaseDelayMs },
      models: {
        getModel: () => scriptModel,
        streamSimple: (model, context, options) => this.#request(model, context.messages, options?.signal),
        streamDeferred: (_model, handle, options) => this.#poll(handle, options?.signal),
        cancelDeferred: (_model, handle) => this.#remoteCancel(handle),
      },
      afterResponse: (message, signal) => {
        if (!this.#enters()) return never();
        this.#host.record.hooks++;
        this.#host.witness.hooked(message, this.#gates.stream?.script);
        this.#signals.set("hook", signal);
        return new Promise((resolve) => {
          this.#gates.hook = () => resolve(marked(message));
        });
      },
      tools: toolNames.map((name) => ({ name, ...plannedTools[name] })),
      maxToolRuns,
      runTool: (call, signal) => {
        const { toolCallId, name } = call;
        if (!this.#enters()) return never();
        this.#host.witness.ran(call);
        const repeatable = toolNames.some((tool) => tool === name && plannedTools[tool].repeatable);
        this.#host.record.tools.push({ call: toolCallId, tool: name, repeatable });
        this.#signals.set(name, signal);
        return new Promise((resolve) => {
          this.#gates.tools.set(name, () => {
            this.seen.returned.add(toolCallId);
            resolve(resultText(toolCallId));
          });
        });
      },
      deliver: (event) => {
        if (!this.#enters()) return never();
        this.#host.record.events.push(this.audience.announced(event));
        const atStore = this.gate.parked.map(({ writes }) => writes);
        this.#host.witness.told(event, this.#gates.stream, atStore);
        // Only a live stream waits for its listeners (C1), whatever tag its events carry.
        const live = this.#gates.stream?.live ?? false;
        const parks = live && (event.name === "message_start" || event.name === "message_update");
        if (!parks) return Promise.resolve();
        this.#heard = this.#gates.stream?.script.shown;
        this.#held++;
        return new Promise((resolve) => {
          this.#gates.listener = () => {
            this.#held--;
            resolve();
          };
        });
      },
      rogues: this.audience.rogues,
    };
  }

  #enters(): boolean {
    if (this.#alive) this.#host.touched();
    else this.#host.note(anomaly("a process that is gone still acts"));
    return this.#alive;
  }

  #request(model: Model<string>, context: readonly Message[], signal: AbortSignal | undefined): ScriptedStream {
    if (this.#alive) this.#host.witness.requested(model, context, signal);
    const contextStops = context.flatMap((message) => (message.role === "assistant" ? [message.stopReason] : []));
    const results = context.flatMap((message) => (message.role === "toolResult" ? [message.toolCallId] : []));
    return this.#stream(signal, (response) => this.#host.record.requests.push({ response, contextStops, results }));
  }

  #poll(handle: DeferredHandle, signal: AbortSignal | undefined): ScriptedStream {
    return this.#stream(signal, (response) => {
      this.#host.record.polls.push({ response, handle: handle.id });
      this.#expectNewest(handle);
    });
  }

  /** A poll, and a remote cancel, are about the newest deferred response. */
  #expectNewest(handle: DeferredHandle): void {
    const newest = newestHandle(this.#host.durable);
    if (!isDeepStrictEqual(handle, newest)) {
      this.#host.note(
        anomaly(
          "a deferred handle that is not the newest was used",
          `${JSON.stringify(handle)} instead of ${JSON.stringify(newest)}`,
        ),
      );
    }
  }

  /** The provider may refuse, throw or hang: nothing may come of it (G4). */
  #remoteCancel(handle: DeferredHandle): Promise<void> {
    if (!this.#alive) {
      this.#host.note(anomaly("a process that is gone asks the provider to give up a response"));
      return new Promise(() => {});
    }
    this.#host.touched();
    this.#host.record.remoteCancels.push(handle.id);
    this.#expectNewest(handle);
    return answerRemoteCancel(handle);
  }

  #stream(signal: AbortSignal | undefined, note: (response: string) => void): ScriptedStream {
    const request = this.#host.nextRequest();
    const response = operationScalars(this.#host.durable)?.responseEntryId ?? "none";
    if (this.#alive) {
      this.#host.touched();
      note(response);
      this.seen.requested.add(response);
      this.#host.requestOf.set(response, request);
    } else this.#host.note(anomaly("a process that is gone makes a request"));
    const script = new RequestScript(request, this.#host.clock.now(), this.#host.sayings);
    this.#host.scripts.set(request, script);
    const stream = new ScriptedStream(script, signal, {
      pulled: () => {
        if (this.#alive) this.#host.touched();
      },
      signalled: () => {
        if (!this.#alive) return;
        this.#host.touched();
        if (this.#gates.stream === stream) this.#host.record.signals++;
      },
      given: (event) => this.#host.record.provider.push(providerFact(event)),
    });
    this.#gates.stream = stream;
    this.#heard = undefined;
    return stream;
  }
}
