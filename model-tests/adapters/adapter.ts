/**
 * The seam between the checker and one harness. An adapter maps abstract calls to the harness's public API and its events
 * to the vocabulary of the specification; it reports nothing about durable state, which the checker reads for itself.
 */
import type { Api, AssistantMessage, Model, Models } from "@earendil-works/pi-ai";
import type { CallOutcome, LifecycleEvent } from "../../machines/index.ts";
import type { Entry, Storage, UsageRow } from "../../src/index.ts";

/** One lifecycle event as the harness's listeners saw it. */
export interface ObservedEvent {
  readonly name: LifecycleEvent;
  readonly recovery: boolean;
  /** The entry that `entry_added` announces, or that `message_end` names. */
  readonly entryId?: string;
  /** The operation whose end `operation_end` announces. */
  readonly operationId?: string;
  /** What it says, as far as the harness's own form of it goes over into these. */
  readonly told?: Told;
  /** The event as the harness gave it to this listener. */
  readonly given?: object;
}

/** The values that an event carries. What a harness does not tell stays away. */
interface Told {
  /** Of `message_start` and `message_end`. */
  readonly message?: AssistantMessage;
  /** Of `message_update`: the provider's event without its growing message. */
  readonly update?: object;
  /** Of `entry_added`. */
  readonly entry?: Entry;
  /** Of `usage`. */
  readonly row?: UsageRow;
  /** Of `operation_end`: the record of the end, or a part of it. */
  readonly result?: object;
}

/** What a reader of the lane is told (section I). */
export interface ObservedSnapshot {
  readonly open: boolean;
  /** The open operation. */
  readonly operationId: string | undefined;
  readonly transcript: readonly Entry[];
  readonly streamingMessage: AssistantMessage | undefined;
}

/** One tool call that the harness wants to be run. */
export interface ToolCallRequest {
  readonly toolCallId: string;
  readonly name: string;
  readonly arguments?: object;
}

/** The time that a harness is given, in milliseconds since 1970. */
export interface Clock {
  now(): number;
  /** May resolve a moment early, as a timer does: what counts is `now()` (O4). */
  sleepUntil(timeMs: number, signal: AbortSignal): Promise<void>;
}

/**
 * Listeners of the application that misbehave (J4). Register `throwing` and `mutating` for the events that `deliver` gets, in
 * front of it, and `reported` for the reports that a listener threw.
 */
export interface RogueListeners {
  /** Throws, or rejects, at some of the events that it is given. */
  throwing(event: object): Promise<void> | undefined;
  /** Tries to change everything that it is given. */
  mutating(event: object): void;
  /** Throws, or rejects, at the report of a throw too: of that nobody has to be told. */
  reported(): Promise<void>;
}

/** Everything nondeterministic that a harness needs, owned by the checker's world. */
export interface Surroundings {
  readonly storage: Storage;
  readonly models: Pick<Models, "getModel" | "streamSimple" | "streamDeferred" | "cancelDeferred">;
  readonly model: Model<Api>;
  readonly clock: Clock;
  readonly ids: { next(timestampMs?: number): string };
  readonly retry: { readonly maxAttempts: number; readonly baseDelayMs: number };
  /** The application's `after_response` hook; waits at its gate. With the signal that it is given, if the harness gives it one (F5). */
  afterResponse(message: AssistantMessage, signal?: AbortSignal): Promise<AssistantMessage>;
  /** The application's tool runner: makes one call, waits at its gate and returns a text. Calls of one response run side by side (Q1). */
  runTool(call: ToolCallRequest, signal?: AbortSignal): Promise<string>;
  /** The tools that responses call, and how often a call of one that is declared safe to repeat may be started (Q1). */
  readonly tools: readonly { readonly name: string; readonly repeatable: boolean }[];
  readonly maxToolRuns: number;
  /**
   * Deliver an event; the harness must await the result for `message_start` and `message_update` of a live stream. `lane`: whose
   * event it is, `undefined` when it is the whole harness's. Asked for only where there are several lanes.
   */
  deliver(event: ObservedEvent, lane?: string): Promise<void>;
  readonly rogues: RogueListeners;
}

export interface ActivateOptions {
  /** Whether to wait for a retry that is not due (O4). */
  readonly wait: boolean;
  /** Whether this activation may make one poll of a deferred response (G2). */
  readonly permit: boolean;
}

/** How a call ended, and what it said beside that. What a harness does not tell stays away. */
export interface Answer {
  readonly outcome: CallOutcome;
  /** Of `accept`: the operation that it has opened. */
  readonly operationId?: string;
  /** Of `activate`: the record of the end, or a part of it. */
  readonly result?: object;
  /** Of `activate` that is not to wait for a retry: when that is due (O4). */
  readonly notBefore?: number;
}

/** One process that holds the session. Every call resolves to an outcome; a rejection that is not typed is a finding. */
export interface Incarnation {
  accept(prompt: string): Promise<CallOutcome | Answer>;
  activate(options: ActivateOptions): Promise<CallOutcome | Answer>;
  /** With a name: to end that operation and no other (Q7). */
  cancel(operationId?: string): Promise<CallOutcome>;
  /** An authorised outside party ends the operation while this process holds the session (K3). */
  finalize(): Promise<CallOutcome>;
  snapshot(): Promise<ObservedSnapshot>;
  /** A snapshot, and for as long as the process lives each event after it (I5). No stream waits for `listener`. */
  watch(listener: (event: ObservedEvent) => Promise<void> | undefined): Promise<ObservedSnapshot>;
  close(): Promise<CallOutcome>;
}

/** A requirement of section Q that a harness may serve or not: where it breaks none of A to O, both are right. */
export type Way = "Q4" | "Q6" | "Q7" | "Q9" | "Q10";

/** What connects one harness to the checker: its name, and how a process of it is started over given surroundings. */
export interface Adapter {
  readonly name: string;
  readonly version: string;
  /** What of section Q it does. What it does not list is not asked of it, and the report says that it was not offered. */
  readonly serves?: readonly Way[];
  /** Open the session and the harness over `surroundings.storage`, with one lane named `main`. */
  boot(surroundings: Surroundings): Promise<Incarnation>;
  /** The same with several lanes in one harness: one answer for each name. An adapter without it is checked with one lane. */
  bootLanes?(surroundings: Surroundings, lanes: readonly string[]): Promise<readonly Incarnation[]>;
  /** An authorised outside party ends the open operation while no process holds the session (K3). */
  finalizeOffline(surroundings: Surroundings): Promise<CallOutcome>;
  /** Prepare this process for a run, for a harness that reads global clocks; returns the undo. */
  install?(clock: VirtualTime): () => void;
}

/** The virtual clock, for adapters that must redirect a global one. */
export interface VirtualTime {
  readonly nowMs: number;
  /** Called with the new time whenever the clock steps. */
  onStep(listener: (nowMs: number) => void | Promise<void>): () => void;
}

/** The lane that the checker drives. */
export const laneName = "main";

/** The error code by which the checker recognises the terminal transaction of its own outside party. */
export const finalizedCode = "finalized_externally";

/** What a failed commit tells its caller: not whether it landed (K2). */
export class StoreFailure extends Error {
  override readonly name = "StoreFailure";
  constructor() {
    super("the store failed: input/output error");
  }
}
