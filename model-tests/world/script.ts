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

/** The live half of one request: hands out provider events and remembers what it has said. */
export class RequestScript {
  readonly request: number;
  /** Shared and live, as providers have it: it may be ahead of an event that is still queued (B6). */
  readonly partial: AssistantMessage;
  #updates = 0;
  started = false;

  constructor(request: number, timestamp: number) {
    this.request = request;
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
    const callsTool = streamsToolCall(this.request);
    this.partial.content.push(callsTool ? partialCall(this.request) : { type: "text", text: "" });
    return { type: callsTool ? "toolcall_start" : "text_start", contentIndex: 0, partial: this.partial };
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
    if (block?.type === "text") block.text += deltaText(this.request, delta);
    else if (block?.type === "toolCall") block.arguments[`d${delta}`] = `r${this.request}`;
    return this.#deltaEvent(deltaText(this.request, delta));
  }

  #deltaEvent(delta: string): AssistantMessageEvent {
    const type = streamsToolCall(this.request) ? "toolcall_delta" : "text_delta";
    return { type, contentIndex: 0, delta, partial: this.partial };
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

const deltaText = (request: number, delta: number): string =>
  streamsToolCall(request) ? argumentsDelta(request, delta) : textDelta(request, delta);

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
export function committedContent(request: number, frames: number): readonly string[] | undefined {
  const key = `${request} ${frames}`;
  if (!committed.has(key)) committed.set(key, readContent(request, frames));
  return committed.get(key);
}

/** The same few lists are asked for at every run. */
const committed = new Map<string, readonly string[] | undefined>();

function readContent(request: number, frames: number): readonly string[] | undefined {
  if (frames === 0) return undefined;
  if (frames === 1) return [];
  if (!streamsToolCall(request)) return [joined(textDelta, request, frames - 2)];
  const inCall = Math.min(frames, framesOfCall);
  const given = joined(argumentsDelta, request, inCall - 2);
  const call = describeCall({ ...partialCall(request), arguments: given === "" ? {} : JSON.parse(`${given}}`) });
  return frames === inCall ? [call] : [call, joined(textDelta, request, frames - framesOfCall - 1)];
}

const joined = (delta: typeof textDelta, request: number, count: number): string =>
  Array.from({ length: count }, (_, at) => delta(request, at + 1)).join("");

/** The frame that stands at a position of a request's list, counted from 1. */
export function frameAt(request: number, position: number): AssistantMessageFrame {
  if (position === 1) return { type: "start", partial: new RequestScript(request, 0).partial };
  if (!streamsToolCall(request)) return textFrame(request, 0, position - 2);
  if (position > framesOfCall) return textFrame(request, 1, position - framesOfCall - 1);
  return position === 2
    ? { type: "toolcall_start", contentIndex: 0, toolCall: partialCall(request) }
    : { type: "toolcall_delta", contentIndex: 0, delta: deltaText(request, position - 2) };
}

const textFrame = (request: number, contentIndex: number, delta: number): AssistantMessageFrame =>
  delta === 0
    ? { type: "text_start", contentIndex, content: { type: "text", text: "" } }
    : { type: "text_delta", contentIndex, delta: textDelta(request, delta) };

const describeCall = ({ id, arguments: given }: ToolCall): string => `${id} ${JSON.stringify(given)}`;

/** The blocks of a message as texts: what was said, and which tools were called with what. */
export const contentOf = (message: AssistantMessage): readonly string[] =>
  message.content.flatMap((block) => {
    if (block.type === "text") return [block.text];
    return block.type === "toolCall" ? [describeCall(block)] : [];
  });

/** The checker's hook: the same message, marked. */
export function marked(message: AssistantMessage): AssistantMessage {
  return { ...message, content: [...message.content, { type: "text", text: hookMark }] };
}
