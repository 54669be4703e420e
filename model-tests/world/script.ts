/**
 * What the provider says. Every request has texts of its own, so that content found in the wrong place names the request
 * it came from; expected content is taken from here, never from reduced frames.
 */
import type {
  Api,
  AssistantMessage,
  AssistantMessageEvent,
  AssistantMessageFrame,
  DeferredHandle,
  Model,
  ToolCall,
  Usage,
} from "@earendil-works/pi-ai";
import { type DefectKind, type StreamEnd, toolNames } from "../../machines/index.ts";
import type { Blocks, Saying, Sayings, UnreadableUsage, Update } from "../contents/beat.ts";
import { inventedSayings } from "../contents/catalogue.ts";
import { updateFrame } from "../contents/saying.ts";

export const scriptModel: Model<Api> = {
  id: "scripted-1",
  name: "Scripted",
  api: "openai-completions",
  provider: "scripted",
  baseUrl: "http://scripted.invalid",
  reasoning: false,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 100_000_000,
  maxTokens: 1_000_000,
};

/** The delay of the retry policy that every harness is given (O4). */
export const retryBaseDelayMs = 1_000;

/** What the checker's `after_response` hook appends, so that the post-hook value is recognisable (D3). */
const hookMark = "[hooked]";

export const errorMessages = {
  retryable: "529 overloaded_error: the service is overloaded",
  terminal: "401 invalid_request: the key is unknown",
  aborted: "Request was aborted",
  /** Stands for what a harness says of a broken stream, in its own words (Q6). */
  broken: "the stream broke",
} as const;

export const zeroUsage = (): Usage => ({
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
});

/** The live half of one request: hands out provider events and remembers what it has said. */
export class RequestScript {
  readonly request: number;
  /** Shared and live, as providers have it: it may be ahead of an event that is still queued (B6). */
  readonly partial: AssistantMessage;
  readonly #saying: Saying;
  #updates = 0;
  #shown: Blocks = [];
  readonly #openCalls = new Set<number>();
  started = false;

  constructor(request: number, timestamp: number, sayings: Sayings = inventedSayings) {
    this.request = request;
    this.#saying = sayings(request);
    this.partial = {
      role: "assistant",
      content: [],
      api: scriptModel.api,
      provider: scriptModel.provider,
      model: scriptModel.id,
      responseId: `response-${request}`,
      usage: this.#usageSoFar(),
      stopReason: "pending",
      timestamp,
    };
  }

  #usageSoFar(): Usage {
    const { usage, unreadable } = this.#saying;
    return unreadable === undefined ? (structuredClone(usage) ?? zeroUsage()) : unreadable.reported;
  }

  /** What the end reports, and what of it counts (Q3). */
  #usageAtEnd(): UnreadableUsage {
    const usage = { ...zeroUsage(), input: 10 + this.request, output: 1 + this.#updates };
    usage.totalTokens = usage.input + usage.output;
    return this.#saying.unreadable ?? { reported: usage, counts: usage };
  }

  /** What the message shows, as a value that does not change. */
  get shown(): Blocks {
    return this.#shown;
  }

  start(): AssistantMessageEvent {
    this.started = true;
    return { type: "start", partial: this.partial };
  }

  /** The next update that gives a frame. */
  update(): AssistantMessageEvent {
    const { event, shows } = this.#saying.beat(++this.#updates);
    if (event.type === "toolcall_start") this.#openCalls.add(event.contentIndex);
    if (event.type === "toolcall_end") this.#openCalls.delete(event.contentIndex);
    this.#show(shows);
    return this.#event(event);
  }

  /** An update that gives no frame: an empty delta. */
  covered(): AssistantMessageEvent {
    return this.#event(this.#saying.beat(Math.max(1, this.#updates)).covered);
  }

  /** What no stream may give any more once it has ended (B3). */
  late(): AssistantMessageEvent {
    return this.#event(this.#saying.beat(this.#updates + 1).event);
  }

  /** The message that the stream has ended with. */
  final: AssistantMessage | undefined;

  end(end: StreamEnd): AssistantMessageEvent {
    const message = this.#final(end);
    this.final = message;
    const { stopReason } = message;
    return stopReason === "error" || stopReason === "aborted"
      ? { type: "error", reason: stopReason, error: message }
      : { type: "done", reason: stopReason as "stop", message };
  }

  /** A message of this script as it is stored: what cannot be read of its usage counts as zero (Q3). */
  asStored(message: AssistantMessage): AssistantMessage {
    const { unreadable } = this.#saying;
    return unreadable !== undefined && message.usage === unreadable.reported
      ? { ...message, usage: unreadable.counts }
      : message;
  }

  /** The blocks of a live message grow where they are: whoever holds the message sees it (B6). */
  #show(shows: Blocks): void {
    const { content } = this.partial;
    for (const [at, block] of shows.entries()) {
      if (block === this.#shown[at]) continue;
      const fresh = structuredClone(block);
      const held = content[at];
      if (held?.type === fresh.type) Object.assign(held, fresh);
      else content[at] = fresh;
    }
    this.#shown = shows;
  }

  /** The response to a stream that broke: the live message, and what was reported of usage (Q6). */
  broken(kind: DefectKind, started: boolean): AssistantMessage {
    const { responseId, ...rest } = this.partial;
    return {
      ...rest,
      ...(started && responseId !== undefined && { responseId }),
      content: started ? structuredClone(this.partial.content) : [],
      usage: this.#usageWhenBroken(kind, started),
      stopReason: "error",
      errorMessage: errorMessages.broken,
    };
  }

  #usageWhenBroken(kind: DefectKind, started: boolean): Usage {
    if (kind === "done_before_start" || kind === "event_after_end") return this.#usageAtEnd().reported;
    return started ? this.partial.usage : zeroUsage();
  }

  #event(update: Update): AssistantMessageEvent {
    return { ...structuredClone(update), partial: this.partial } as AssistantMessageEvent;
  }

  /** An answer without a plan has dropped the tool calls that it began; a failure leaves them as they were cut off. */
  #finalContent(end: StreamEnd): AssistantMessage["content"] {
    const content = structuredClone(this.partial.content);
    if (end === "retryable" || end === "terminal" || end === "aborted") return content;
    const kept = content.filter(({ type }) => type !== "toolCall");
    return kept.length === content.length
      ? kept
      : [...kept, { type: "text", text: `r${this.request} changed its mind` }];
  }

  #calls(): ToolCall[] {
    const { request } = this;
    return toolNames.map((name) => ({
      type: "toolCall",
      id: `call-${request}-${name}`,
      name,
      arguments: { n: request },
    }));
  }

  /** Whether the stream has broken the protocol (B3): what it ended with is no message. */
  defective = false;
  /** Whether the stream has ended amid a call that it had begun (Q5). */
  endedAmidCall = false;

  /** Says by turns that it asks for tools and that it has stopped. A content without an open call fails as plainly. */
  #withOpenCall(base: AssistantMessage): AssistantMessage {
    const content = structuredClone(this.partial.content);
    this.endedAmidCall = this.#openCalls.size > 0;
    if (this.endedAmidCall) return { ...base, content, stopReason: this.request % 2 === 1 ? "toolUse" : "stop" };
    return { ...base, content, stopReason: "error", errorMessage: errorMessages.retryable };
  }

  #final(end: StreamEnd): AssistantMessage {
    const content = this.#finalContent(end);
    const { reported: usage, counts } = this.#usageAtEnd();
    const base = { ...this.partial, content, usage };
    switch (end) {
      case "stop":
        return { ...base, stopReason: "stop" };
      case "length":
        content.push(...this.#calls());
        // Cut off at the limit of the model, not because the context was full.
        return { ...base, stopReason: "length", usage: { ...counts, output: scriptModel.maxTokens } };
      case "noCalls":
        return { ...base, stopReason: "toolUse" };
      case "toolUse":
        content.push(...this.#calls());
        return { ...base, stopReason: "toolUse" };
      case "openCall":
        return this.#withOpenCall(base);
      case "deferred":
        return { ...base, stopReason: "deferred", deferred: handleOf(this.request) };
      case "mismatched":
        return { ...base, stopReason: "deferred", ...foreignHandle(this.request) };
      case "aborted":
        return { ...base, stopReason: "aborted", errorMessage: errorMessages.aborted };
      default:
        return { ...base, stopReason: "error", errorMessage: errorMessages[end] };
    }
  }
}

const handleOf = (request: number): DeferredHandle => ({
  provider: scriptModel.provider,
  modelId: scriptModel.id,
  api: scriptModel.api,
  id: `handle-${request}`,
});

/** A handle that names another model, in one way or another, or none at all (D5). */
function foreignHandle(request: number): { deferred?: DeferredHandle } {
  const handle = handleOf(request);
  const ways = [
    { deferred: { ...handle, provider: "elsewhere" } },
    { deferred: { ...handle, modelId: "another" } },
    { deferred: { ...handle, api: "anthropic-messages" } },
    {},
  ];
  return ways[request % ways.length] as { deferred?: DeferredHandle };
}

/** How the provider answers when it is asked to give up a response: by turns it refuses, hangs, and throws (G4). */
export function answerRemoteCancel({ id }: DeferredHandle): Promise<void> {
  const request = Number(id.replace("handle-", ""));
  if (request % 3 === 0) throw new Error("the provider cannot be reached");
  return request % 3 === 1 ? Promise.reject(new Error("unknown response id")) : new Promise(() => {});
}

/** The frame that stands at a position of a request's list, counted from 1. */
export function frameAt(request: number, position: number, sayings: Sayings = inventedSayings): AssistantMessageFrame {
  if (position > 1) return updateFrame(sayings(request), position);
  return { type: "start", partial: new RequestScript(request, 0, sayings).partial };
}

/** What the checker's tool runner answers. */
export const resultText = (toolCallId: string): string => `result of ${toolCallId}`;

/** The checker's hook: the same message, marked. */
export function marked(message: AssistantMessage): AssistantMessage {
  return { ...message, content: [...message.content, { type: "text", text: hookMark }] };
}
