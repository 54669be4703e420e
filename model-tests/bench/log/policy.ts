/** One way to write a conversation down while it is streamed, and what it gives back. */
import type { AssistantMessage, AssistantMessageEvent } from "@earendil-works/pi-ai";
import type { BareEvent } from "../../../src/index.ts";

/** An event with its time, as a log may give it back. */
export interface TimedEvent {
  readonly at: number;
  readonly event: BareEvent;
}

/** What a log gives back. */
export interface Restored {
  /** The answers that ended, in order. */
  readonly answers: readonly AssistantMessage[];
  /** What there is of an answer that was under way. */
  readonly partial: AssistantMessage | undefined;
  /** The streams of those answers, event by event with times, and last the one under way. */
  readonly streams: readonly (readonly TimedEvent[])[];
}

/** Writes one conversation. */
export interface LogWriter {
  /** The provider gave an event, so many milliseconds after the beginning of its answer. */
  event(at: number, event: AssistantMessageEvent): void;
  /** Called after each burst: what is still held back is what the policy holds back. */
  burst(): void | Promise<void>;
  /** Everything was given: resolves when all of it is with the operating system. */
  close(): Promise<void>;
}

/** A policy of logging. */
export interface LogPolicy {
  readonly name: string;
  /** Begins a log in an empty folder. */
  open(folder: string): Promise<LogWriter>;
  /** Reads a log, of a crash too; the log is not mended. */
  load(folder: string): Promise<Restored>;
}

/** The event without its message. */
export function bareOf(event: AssistantMessageEvent): BareEvent {
  const {
    partial: _partial,
    message: _message,
    error: _error,
    ...bare
  } = event as AssistantMessageEvent & {
    partial?: unknown;
    message?: unknown;
    error?: unknown;
  };
  return bare as BareEvent;
}

/** The message that ends a stream; `undefined` for an event that ends none. */
export function finalOf(event: AssistantMessageEvent): AssistantMessage | undefined {
  if (event.type === "done") return event.message;
  return event.type === "error" ? event.error : undefined;
}
