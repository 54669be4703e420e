/** Makes a fixture of a recorded session log, so that what a model once streamed can be played again. */
import type { AssistantMessage, AssistantMessageEvent, StopReason, ToolCall, Usage } from "@earendil-works/pi-ai";
import { parseStreamingJson } from "@earendil-works/pi-ai/utils/json-parse";
import { ImportRefused } from "../../errors.ts";
import type { Fixture, RecordedRequest } from "../fixture/fixture.ts";
import { isTerminal, StreamObserver } from "../fixture/observe.ts";
import { foundBursts, isDelta, isSameBlock } from "../fixture/runs.ts";
import { type Chunk, type EndedBlock, type LogEvent, type LogUsage, readSessionLog } from "./log-rows.ts";

interface ChunkEvent extends LogEvent {
  chunk: Chunk;
}

/**
 * The model streams of a log, one request for each step that has one. What a chunk has and a provider event has not (its
 * number, the time of its usage) is kept in `source`, so that the chunks can be told from the fixture again.
 *
 * A log has no event for the start of a stream; it is given the time of the first chunk. Chunks of one millisecond are
 * one burst.
 *
 * @throws {ImportRefused} when the log is damaged or has another version (P7).
 */
export function importSessionLog(text: string): Fixture {
  const { createdAt, events } = readSessionLog(text);
  const requests: RecordedRequest[] = [];
  let model = { provider: "unknown", id: "unknown" };
  let step: ChunkEvent[] = [];
  const endStep = () => {
    if (step.length > 0) requests.push(importStep(step, createdAt, { ...model, api: "session-log" }));
    step = [];
  };
  for (const event of events) {
    if (event.type === "assistant/chunk") step.push({ ...event, chunk: event.data.chunk as Chunk });
    else {
      endStep();
      model = modelIn(event) ?? model;
    }
  }
  endStep();
  return { startedAt: createdAt, requests, complete: true };
}

function modelIn({ type, data }: LogEvent): { provider: string; id: string } | undefined {
  if (type !== "request/header") return undefined;
  const config = (data.header as { config?: { provider?: unknown; model?: unknown } } | undefined)?.config;
  if (typeof config?.provider !== "string" || typeof config.model !== "string") return undefined;
  return { provider: config.provider, id: config.model };
}

function importStep(
  chunks: readonly ChunkEvent[],
  createdAt: number,
  model: RecordedRequest["model"],
): RecordedRequest {
  const first = chunks[0] as ChunkEvent;
  const stream = new ChunkStream(model, first.time);
  const events: RecordedRequest["events"] = [];
  const observer = new StreamObserver();
  const observe = (time: number, given: readonly AssistantMessageEvent[]) => {
    for (const event of given) events.push(observer.observe(time - first.time, event));
  };
  observe(first.time, [stream.start()]);
  for (const burst of burstsOf(chunks)) {
    const line = burst[0]?.line ?? 0;
    try {
      // Taken in before any of it is told: the message of a burst is ahead of its events (B6).
      const given = burst.map(({ chunk }, index) =>
        stream.take(chunk, chunks.indexOf(burst[index] as ChunkEvent), chunks),
      );
      observe(burst[0]?.time ?? 0, given.flat());
    } catch (error) {
      throw new ImportRefused(line, error instanceof Error ? error.message : String(error), error);
    }
  }
  const last = events.at(-1);
  return {
    at: first.time - createdAt,
    call: "streamSimple",
    model,
    source: sourceOf(chunks),
    events: withBursts(events),
    ...(last !== undefined && isTerminal(last.event) && { end: { at: last.at, kind: "complete" as const } }),
  };
}

/** What the events of the fixture do not tell of the chunks. */
function sourceOf(chunks: readonly ChunkEvent[]): NonNullable<RecordedRequest["source"]> {
  const [first] = chunks;
  const { turn, step } = first?.data ?? {};
  const usage = chunks.flatMap(({ chunk, time }, index) => (chunk.type === "usage" ? [{ index, time, chunk }] : []));
  const ends = chunks.flatMap(({ chunk }) => (chunk.type === "finish" ? [chunk.reason] : []));
  const source = { turn, step, seq: first?.seq, time: first?.time, usage, finish: ends[0] };
  return JSON.parse(JSON.stringify(source)) as NonNullable<RecordedRequest["source"]>;
}

function burstsOf(chunks: readonly ChunkEvent[]): ChunkEvent[][] {
  const bursts: ChunkEvent[][] = [];
  for (const chunk of chunks) {
    const burst = bursts.at(-1);
    if (burst?.[0]?.time === chunk.time) burst.push(chunk);
    else bursts.push([chunk]);
  }
  return bursts;
}

function withBursts(events: RecordedRequest["events"]): RecordedRequest["events"] {
  const json = new Map<number, string>();
  const result: RecordedRequest["events"] = [];
  for (let index = 0; index < events.length; ) {
    const first = events[index] as RecordedRequest["events"][number];
    if (!isDelta(first)) {
      result.push(first);
      index++;
      continue;
    }
    const run = [];
    for (let next = events[index]; next !== undefined && isDelta(next) && isSameBlock(first.event, next.event); ) {
      run.push(next);
      next = events[++index];
    }
    const told = json.get(first.event.contentIndex) ?? "";
    result.push(...foundBursts(run, told));
    json.set(first.event.contentIndex, told + run.map(({ event }) => event.delta).join(""));
  }
  return result;
}

/** The provider stream that the chunks of one step came from. */
class ChunkStream {
  readonly #partial: AssistantMessage;
  readonly #json = new Map<number, string>();

  constructor({ provider, id, api }: RecordedRequest["model"], timestamp: number) {
    const usage = usageOf({});
    this.#partial = {
      role: "assistant",
      content: [],
      api,
      provider,
      model: id,
      usage,
      stopReason: "pending",
      timestamp,
    };
  }

  start(): AssistantMessageEvent {
    return { type: "start", partial: this.#partial };
  }

  /** The events of a chunk; one that says how much was used changes the message only. */
  take(chunk: Chunk, at: number, all: readonly ChunkEvent[]): AssistantMessageEvent[] {
    switch (chunk.type) {
      case "block-start":
        return [this.#open(chunk, at, all)];
      case "text-delta":
      case "reasoning-delta":
        return [this.#tellText(chunk.index, chunk.text)];
      case "tool-call-delta":
        return [this.#tellCall(chunk.index, chunk.argumentsDelta)];
      case "block-end":
        return [this.#close(chunk.index, chunk.block)];
      case "usage":
        this.#partial.usage = usageOf(chunk.usage);
        return [];
      case "finish":
        return [this.#finish(chunk.reason)];
      default:
        throw new Error(`"${String((chunk as { type?: unknown } | undefined)?.type)}" is no chunk of a model stream`);
    }
  }

  #open({ index, blockType }: Extract<Chunk, { type: "block-start" }>, at: number, all: readonly ChunkEvent[]) {
    const { content } = this.#partial;
    if (index !== content.length) throw new Error(`block ${index} cannot come after ${content.length} blocks`);
    const partial = this.#partial;
    if (blockType === "tool-call") {
      const named = all.slice(at).find(({ chunk }) => chunk.type === "tool-call-delta" && chunk.index === index)?.chunk;
      const { id = "", name = "" } = named?.type === "tool-call-delta" ? named : {};
      content.push({ type: "toolCall", id, name, arguments: {} });
      return { type: "toolcall_start" as const, contentIndex: index, partial };
    }
    if (blockType === "reasoning") {
      content.push({ type: "thinking", thinking: "" });
      return { type: "thinking_start" as const, contentIndex: index, partial };
    }
    if (blockType !== "text") throw new Error(`"${String(blockType)}" is no type of a block`);
    content.push({ type: "text", text: "" });
    return { type: "text_start" as const, contentIndex: index, partial };
  }

  #tellText(contentIndex: number, delta: string): AssistantMessageEvent {
    const block = this.#partial.content[contentIndex];
    const partial = this.#partial;
    if (block?.type === "text") {
      block.text += delta;
      return { type: "text_delta", contentIndex, delta, partial };
    }
    if (block?.type !== "thinking") throw new Error(`block ${contentIndex} is not open for text`);
    block.thinking += delta;
    return { type: "thinking_delta", contentIndex, delta, partial };
  }

  #tellCall(contentIndex: number, delta: string): AssistantMessageEvent {
    const block = this.#callAt(contentIndex);
    const json = (this.#json.get(contentIndex) ?? "") + delta;
    this.#json.set(contentIndex, json);
    block.arguments = parseStreamingJson(json);
    return { type: "toolcall_delta", contentIndex, delta, partial: this.#partial };
  }

  /** The value that ends a block is the authoritative one (B5). */
  #close(contentIndex: number, { text, arguments: json }: EndedBlock): AssistantMessageEvent {
    const block = this.#partial.content[contentIndex];
    const partial = this.#partial;
    if (block === undefined) throw new Error(`block ${contentIndex} was not started`);
    if (block.type === "toolCall") {
      if (json !== undefined) block.arguments = parseStreamingJson(json);
      return { type: "toolcall_end", contentIndex, toolCall: structuredClone(block), partial };
    }
    if (block.type === "text") {
      block.text = text ?? block.text;
      return { type: "text_end", contentIndex, content: block.text, partial };
    }
    block.thinking = text ?? block.thinking;
    return { type: "thinking_end", contentIndex, content: block.thinking, partial };
  }

  #callAt(contentIndex: number): ToolCall {
    const block = this.#partial.content[contentIndex];
    if (block?.type === "toolCall") return block;
    throw new Error(`block ${contentIndex} is not open for a tool call`);
  }

  #finish(reason: { kind: string; message?: string }): AssistantMessageEvent {
    const stopReason = stopReasons[reason.kind] ?? "error";
    const message: AssistantMessage = { ...structuredClone(this.#partial), stopReason };
    if (stopReason === "stop" || stopReason === "length" || stopReason === "toolUse") {
      return { type: "done", reason: stopReason, message };
    }
    message.errorMessage = reason.message ?? reason.kind;
    return { type: "error", reason: stopReason === "aborted" ? "aborted" : "error", error: message };
  }
}

const stopReasons: Record<string, StopReason> = {
  stop: "stop",
  "tool-calls": "toolUse",
  length: "length",
  "max-tokens": "length",
  aborted: "aborted",
};

function usageOf({ inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, reasoningTokens }: LogUsage): Usage {
  return {
    input: inputTokens,
    output: outputTokens,
    cacheRead: cacheReadTokens,
    cacheWrite: 0,
    ...(reasoningTokens !== undefined && { reasoning: reasoningTokens }),
    totalTokens: inputTokens + outputTokens + cacheReadTokens,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  };
}
