/**
 * What the provider says. Every request has texts of its own, so that content found in the wrong place names the request
 * it came from; expected content is taken from here, never from reduced frames.
 */
import type {
  Api,
  AssistantMessage,
  AssistantMessageEvent,
  AssistantMessageFrame,
  Model,
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
    if (delta === 0) {
      this.partial.content.push({ type: "text", text: "" });
      return { type: "text_start", contentIndex: 0, partial: this.partial };
    }
    return this.#delta(deltaText(this.request, delta));
  }

  /** An update that gives no frame: an empty delta. */
  covered(): AssistantMessageEvent {
    return this.#delta("");
  }

  end(end: StreamEnd): AssistantMessageEvent {
    const message = this.#final(end);
    return end === "stop" || end === "toolUse"
      ? { type: "done", reason: end, message }
      : { type: "error", reason: end === "aborted" ? "aborted" : "error", error: message };
  }

  #delta(delta: string): AssistantMessageEvent {
    const block = this.partial.content[0];
    if (block?.type === "text") block.text += delta;
    return { type: "text_delta", contentIndex: 0, delta, partial: this.partial };
  }

  #final(end: StreamEnd): AssistantMessage {
    const content = structuredClone(this.partial.content);
    const usage: Usage = { ...zeroUsage(), input: 10 + this.request, output: 1 + this.#updates };
    usage.totalTokens = usage.input + usage.output;
    const base = { ...this.partial, content, usage };
    switch (end) {
      case "stop":
        return { ...base, stopReason: "stop" };
      case "toolUse":
        content.push({ type: "toolCall", id: `call-${this.request}`, name: "probe", arguments: { n: this.request } });
        return { ...base, stopReason: "toolUse" };
      case "aborted":
        return { ...base, stopReason: "aborted", errorMessage: errorMessages.aborted };
      default:
        return { ...base, stopReason: "error", errorMessage: errorMessages[end] };
    }
  }
}

const deltaText = (request: number, delta: number): string => `r${request}d${delta} `;

/** The content that the first `frames` frames of a request carry; `undefined` when not even its start is among them. */
export function committedText(request: number, frames: number): readonly string[] | undefined {
  if (frames === 0) return undefined;
  if (frames === 1) return [];
  let text = "";
  for (let delta = 1; delta <= frames - 2; delta++) text += deltaText(request, delta);
  return [text];
}

/** The frame that stands at a position of a request's list, counted from 1. */
export function frameAt(request: number, position: number): AssistantMessageFrame {
  if (position === 1) return { type: "start", partial: new RequestScript(request, 0).partial };
  if (position === 2) return { type: "text_start", contentIndex: 0, content: { type: "text", text: "" } };
  return { type: "text_delta", contentIndex: 0, delta: deltaText(request, position - 2) };
}

/** The texts of a message's text blocks. */
export const textsOf = (message: AssistantMessage): readonly string[] =>
  message.content.flatMap((block) => (block.type === "text" ? [block.text] : []));

/** The checker's hook: the same message, marked. */
export function marked(message: AssistantMessage): AssistantMessage {
  return { ...message, content: [...message.content, { type: "text", text: hookMark }] };
}
