/** Logs that are lines of text: chunks one by one, chunks packed, a snapshot for each update, and answers alone. */
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { AssistantMessage, AssistantMessageEvent, AssistantMessageFrame, ToolCall } from "@earendil-works/pi-ai";
import { reduceAssistantMessageFrames } from "@earendil-works/pi-ai/utils/assistant-message-frame";
import type { BareEvent } from "../../../src/index.ts";
import { bareOf, finalOf, type LogPolicy, type LogWriter, type Restored, type TimedEvent } from "./policy.ts";

interface AnswerLine {
  type: "assistant/message";
  message: AssistantMessage;
}

interface ChunkLine {
  type: "assistant/chunk";
  seq: number;
  time: number;
  data: { step: number; chunk: BareEvent };
}

interface RunLine {
  type: "chunks";
  seq0: number;
  time0: number;
  data: { step: number; type: BareEvent["type"]; index: number; dt: number[]; texts: string[] };
}

interface SnapshotLine {
  type: "assistant/update";
  seq: number;
  time: number;
  message: AssistantMessage;
}

type Line = AnswerLine | ChunkLine | RunLine | SnapshotLine;

/** A run of at least so many deltas is packed. */
const shortestRun = 3;

/** Makes a policy of what each event adds to the log. */
function textPolicy(name: string, linesOf: () => (at: number, event: AssistantMessageEvent) => Line[]): LogPolicy {
  return {
    name,
    open: async (folder) => new TextLog(join(folder, "log.jsonl"), linesOf()),
    load: async (folder) => restore(readLines(join(folder, "log.jsonl"))),
  };
}

class TextLog implements LogWriter {
  readonly #file: number;
  readonly #linesOf: (at: number, event: AssistantMessageEvent) => Line[];
  #text = "";

  constructor(path: string, linesOf: (at: number, event: AssistantMessageEvent) => Line[]) {
    this.#file = openSync(path, "a");
    this.#linesOf = linesOf;
  }

  event(at: number, event: AssistantMessageEvent): void {
    for (const line of this.#linesOf(at, event)) this.#text += `${JSON.stringify(line)}\n`;
  }

  burst(): void {
    if (this.#text !== "") writeSync(this.#file, this.#text);
    this.#text = "";
  }

  async close(): Promise<void> {
    this.burst();
    closeSync(this.#file);
  }
}

function answerLines(event: AssistantMessageEvent): AnswerLine[] {
  const message = finalOf(event);
  return message === undefined ? [] : [{ type: "assistant/message", message }];
}

/** Every event is a line. */
export const rawChunks = textPolicy("raw chunk events", () => {
  let [seq, step] = [0, 0];
  return (at, event) => {
    const chunk: ChunkLine = { type: "assistant/chunk", seq: seq++, time: at, data: { step, chunk: bareOf(event) } };
    const answers = answerLines(event);
    if (answers.length > 0) step++;
    return [chunk, ...answers];
  };
});

/** A run of deltas is a line, written when the run ends. */
export const packedChunks = textPolicy("packed chunk rows", () => {
  let [seq, step] = [0, 0];
  let run: (TimedEvent & { event: { delta: string; contentIndex: number } })[] = [];
  const flush = (): Line[] => {
    const [first, ...others] = run;
    if (first === undefined) return [];
    const lines: Line[] =
      run.length < shortestRun
        ? run.map(({ at, event }, index) => ({
            type: "assistant/chunk",
            seq: seq + index,
            time: at,
            data: { step, chunk: event },
          }))
        : [
            {
              type: "chunks",
              seq0: seq,
              time0: first.at,
              data: {
                step,
                type: first.event.type,
                index: first.event.contentIndex,
                dt: others.map(({ at }, index) => at - (run[index]?.at ?? 0)),
                texts: run.map(({ event }) => event.delta),
              },
            },
          ];
    seq += run.length;
    run = [];
    return lines;
  };
  return (at, event) => {
    const bare = bareOf(event);
    const [first] = run;
    if ("delta" in bare) {
      const joins =
        first === undefined || (first.event.type === bare.type && first.event.contentIndex === bare.contentIndex);
      const lines = joins ? [] : flush();
      run.push({ at, event: bare });
      return lines;
    }
    const lines = flush();
    lines.push({ type: "assistant/chunk", seq: seq++, time: at, data: { step, chunk: bare } });
    const answers = answerLines(event);
    if (answers.length > 0) step++;
    return [...lines, ...answers];
  };
});

/** Every update writes the whole message so far. */
export const snapshots = textPolicy("full snapshot per update", () => {
  let seq = 0;
  return (at, event) =>
    "partial" in event
      ? [{ type: "assistant/update", seq: seq++, time: at, message: event.partial }]
      : answerLines(event);
});

/** Only answers that ended are written. */
export const answersOnly = textPolicy("assembled only", () => (_at, event) => answerLines(event));

/** Nothing is written: what playing the streams takes by itself. */
export const nothing: LogPolicy = {
  name: "(nothing written)",
  open: async () => ({ event: () => {}, burst: () => {}, close: async () => {} }),
  load: async () => ({ answers: [], partial: undefined, streams: [] }),
};

function readLines(path: string): Line[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);
}

function restore(lines: readonly Line[]): Restored {
  const answers: AssistantMessage[] = [];
  const streams: TimedEvent[][] = [];
  let stream: TimedEvent[] = [];
  let snapshot: AssistantMessage | undefined;
  for (const line of lines) {
    if (line.type === "assistant/chunk") stream.push({ at: line.time, event: line.data.chunk });
    else if (line.type === "chunks") stream.push(...unpacked(line));
    else if (line.type === "assistant/update") snapshot = line.message;
    else {
      answers.push(line.message);
      if (stream.length > 0) streams.push(stream);
      stream = [];
      snapshot = undefined;
    }
  }
  if (stream.length > 0) streams.push(stream);
  return { answers, partial: snapshot ?? assembled(stream), streams };
}

function unpacked({ time0, data }: RunLine): TimedEvent[] {
  let at = time0;
  return data.texts.map((delta, index) => {
    at += index === 0 ? 0 : (data.dt[index - 1] ?? 0);
    return { at, event: { type: data.type, contentIndex: data.index, delta } as BareEvent };
  });
}

/** The message of chunks, by pi-ai's own reducer: the chunks are put into its words. */
function assembled(stream: readonly TimedEvent[]): AssistantMessage | undefined {
  const frames = stream.flatMap(({ event }): AssistantMessageFrame[] => frameOf(event));
  return reduceAssistantMessageFrames(frames);
}

function frameOf(event: BareEvent): AssistantMessageFrame[] {
  switch (event.type) {
    case "start":
      return [{ type: "start", partial: { content: [] } as unknown as AssistantMessage }];
    case "text_start":
      return [{ ...event, content: { type: "text", text: "" } }];
    case "thinking_start":
      return [{ ...event, content: { type: "thinking", thinking: "" } }];
    case "toolcall_start":
      return [{ ...event, toolCall: { type: "toolCall", id: "", name: "", arguments: {} } }];
    case "toolcall_end":
      return [{ type: "toolcall_end", contentIndex: event.contentIndex, ...callOf(event.toolCall) }];
    case "done":
    case "error":
      return [];
    default:
      return [event];
  }
}

const callOf = ({ id, name, arguments: given }: ToolCall) => ({ id, name, arguments: given });
