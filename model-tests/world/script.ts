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
  TextContent,
  ThinkingContent,
  ToolCall,
  Usage,
} from "@earendil-works/pi-ai";
import type { StreamEnd } from "../../machines/index.ts";

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

/** What the checker's `after_response` hook appends, so that the post-hook value is recognisable (D3). */
export const hookMark = "[hooked]";

export const errorMessages = {
  retryable: "529 overloaded_error: the service is overloaded",
  terminal: "401 invalid_request: the key is unknown",
  aborted: "Request was aborted",
} as const;

const zeroUsage = (): Usage => ({
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
});

/** What one request says. Its deltas are counted from 1. */
export interface Saying {
  readonly kind: "text" | "thinking" | "toolCall";
  /** No delta is empty: each gives a frame. */
  delta(number: number): string;
  /** How many deltas the message shows when so many were told: more, in a burst (B6). */
  shown(told: number): number;
  /** The arguments of a call of which so many deltas have arrived. */
  argumentsAfter(deltas: number): ToolCall["arguments"];
}

/** What the provider says, request by request. */
export type Sayings = (request: number) => Saying;

/** Texts that name the request and the delta they belong to. */
export const inventedSayings: Sayings = (request) => {
  const kind = streamsToolCall(request) ? "toolCall" : "text";
  return {
    kind,
    delta: (number) => (kind === "toolCall" ? argumentsDelta(request, number) : textDelta(request, number)),
    shown: (told) => told,
    argumentsAfter: (deltas) =>
      Object.fromEntries(Array.from({ length: deltas }, (_, at) => [`d${at + 1}`, `r${request}`])),
  };
};

/** The live half of one request: hands out provider events and remembers what it has said. */
export class RequestScript {
  readonly request: number;
  /** Shared and live, as providers have it: it may be ahead of an event that is still queued (B6). */
  readonly partial: AssistantMessage;
  readonly #saying: Saying;
  #updates = 0;
  #shown = 0;
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
      usage: zeroUsage(),
      stopReason: "pending",
      timestamp,
    };
  }

  start(): AssistantMessageEvent {
    this.started = true;
    return { type: "start", partial: this.partial };
  }

  /** The next update that gives a frame: first the block's start, then one delta after the other. */
  update(): AssistantMessageEvent {
    const delta = this.#updates++;
    if (delta > 0) return this.#delta(delta);
    const { kind } = this.#saying;
    this.partial.content.push(kind === "toolCall" ? partialCall(this.request) : textBlock(kind, ""));
    return { type: startTypes[kind], contentIndex: 0, partial: this.partial };
  }

  /** An update that gives no frame: an empty delta. */
  covered(): AssistantMessageEvent {
    return this.#deltaEvent("");
  }

  /** What no stream may give any more once it has ended (B3). */
  late(): AssistantMessageEvent {
    return this.#deltaEvent("x");
  }

  end(end: StreamEnd): AssistantMessageEvent {
    const message = this.#final(end);
    const { stopReason } = message;
    return stopReason === "error" || stopReason === "aborted"
      ? { type: "error", reason: stopReason, error: message }
      : { type: "done", reason: stopReason as "stop", message };
  }

  #delta(delta: number): AssistantMessageEvent {
    const block = this.partial.content[0];
    const shown = Math.max(this.#shown, this.#saying.shown(delta));
    if (block?.type === "toolCall") {
      if (shown > this.#shown) block.arguments = this.#saying.argumentsAfter(shown);
    } else if (block !== undefined) sayMore(block, joined(this.#saying, shown, this.#shown));
    this.#shown = shown;
    return this.#deltaEvent(this.#saying.delta(delta));
  }

  #deltaEvent(delta: string): AssistantMessageEvent {
    return { type: deltaTypes[this.#saying.kind], contentIndex: 0, delta, partial: this.partial };
  }

  /** An answer without a plan has dropped the tool call that it began; a failure leaves it as it was cut off. */
  #finalContent(end: StreamEnd): AssistantMessage["content"] {
    const failed = end === "retryable" || end === "terminal" || end === "aborted";
    if (failed || !streamsToolCall(this.request)) return structuredClone(this.partial.content);
    return [{ type: "text", text: `r${this.request} changed its mind` }];
  }

  #call(): ToolCall {
    return { type: "toolCall", id: `call-${this.request}`, name: "probe", arguments: { n: this.request } };
  }

  #final(end: StreamEnd): AssistantMessage {
    const content = this.#finalContent(end);
    const usage: Usage = { ...zeroUsage(), input: 10 + this.request, output: 1 + this.#updates };
    usage.totalTokens = usage.input + usage.output;
    const base = { ...this.partial, content, usage };
    switch (end) {
      case "stop":
        return { ...base, stopReason: "stop" };
      case "length":
        content.push(this.#call());
        // Cut off at the limit of the model, not because the context was full.
        return { ...base, stopReason: "length", usage: { ...usage, output: scriptModel.maxTokens } };
      case "toolUse":
        content.push(this.#call());
        return { ...base, stopReason: "toolUse" };
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

/** Every second request, the first included, streams a tool call, which an interruption leaves unfinished (N10). */
const streamsToolCall = (request: number): boolean => request % 2 === 1;

const textDelta = (request: number, delta: number): string => `r${request}d${delta} `;

const argumentsDelta = (request: number, delta: number): string =>
  `${delta === 1 ? "{" : ","}"d${delta}":"r${request}"`;

const partialCall = (request: number): ToolCall => ({
  type: "toolCall",
  id: `partial-${request}`,
  name: "probe",
  arguments: {},
});

/**
 * How many frames of a list belong to a tool call; what a longer list holds is text in a second block. A reader of frames
 * reads the arguments of a call anew with each delta.
 */
const framesOfCall = 10;

/** The content that the first `frames` frames of a request carry; `undefined` when not even its start is among them. */
export function committedContent(
  request: number,
  frames: number,
  sayings: Sayings = inventedSayings,
): readonly string[] | undefined {
  const known = committed.get(sayings) ?? new Map<string, readonly string[] | undefined>();
  committed.set(sayings, known);
  const key = `${request} ${frames}`;
  if (!known.has(key)) known.set(key, readContent(request, frames, sayings(request)));
  return known.get(key);
}

/** The same few lists are asked for at every run. */
const committed = new WeakMap<Sayings, Map<string, readonly string[] | undefined>>();

function readContent(request: number, frames: number, saying: Saying): readonly string[] | undefined {
  if (frames === 0) return undefined;
  if (frames === 1) return [];
  if (saying.kind !== "toolCall") return [joined(saying, frames - 2)];
  const inCall = Math.min(frames, framesOfCall);
  const call = describeCall({ ...partialCall(request), arguments: saying.argumentsAfter(inCall - 2) });
  return frames === inCall ? [call] : [call, addedText(request, frames - framesOfCall - 1)];
}

/** The deltas after `from`, up to `to`. */
function joined(saying: Saying, to: number, from = 0): string {
  return Array.from({ length: to - from }, (_, at) => saying.delta(from + at + 1)).join("");
}

const addedText = (request: number, deltas: number): string =>
  Array.from({ length: deltas }, (_, at) => textDelta(request, at + 1)).join("");

/** The frame that stands at a position of a request's list, counted from 1. */
export function frameAt(request: number, position: number, sayings: Sayings = inventedSayings): AssistantMessageFrame {
  if (position === 1) return { type: "start", partial: new RequestScript(request, 0).partial };
  const saying = sayings(request);
  const { kind } = saying;
  if (kind !== "toolCall") return textFrame(kind, 0, position - 2, (number) => saying.delta(number));
  if (position > framesOfCall) {
    return textFrame("text", 1, position - framesOfCall - 1, (number) => textDelta(request, number));
  }
  return position === 2
    ? { type: "toolcall_start", contentIndex: 0, toolCall: partialCall(request) }
    : { type: "toolcall_delta", contentIndex: 0, delta: saying.delta(position - 2) };
}

function textFrame(
  kind: "text" | "thinking",
  contentIndex: number,
  number: number,
  delta: (number: number) => string,
): AssistantMessageFrame {
  if (number > 0) return { type: deltaTypes[kind], contentIndex, delta: delta(number) };
  return kind === "text"
    ? { type: "text_start", contentIndex, content: { type: "text", text: "" } }
    : { type: "thinking_start", contentIndex, content: { type: "thinking", thinking: "" } };
}

const startTypes = { text: "text_start", thinking: "thinking_start", toolCall: "toolcall_start" } as const;
const deltaTypes = { text: "text_delta", thinking: "thinking_delta", toolCall: "toolcall_delta" } as const;

const textBlock = (kind: "text" | "thinking", said: string): TextContent | ThinkingContent =>
  kind === "text" ? { type: "text", text: said } : { type: "thinking", thinking: said };

function sayMore(block: TextContent | ThinkingContent, more: string): void {
  if (block.type === "text") block.text += more;
  else block.thinking += more;
}

const describeCall = ({ id, arguments: given }: ToolCall): string => `${id} ${JSON.stringify(given)}`;

/** The blocks of a message as texts: what was said, and which tools were called with what. */
export const contentOf = (message: AssistantMessage): readonly string[] =>
  message.content.flatMap((block) => {
    if (block.type === "text") return [block.text];
    if (block.type === "thinking") return [block.thinking];
    return block.type === "toolCall" ? [describeCall(block)] : [];
  });

/** The checker's hook: the same message, marked. */
export function marked(message: AssistantMessage): AssistantMessage {
  return { ...message, content: [...message.content, { type: "text", text: hookMark }] };
}
