/** Tells the chunk rows of a session log from its fixture again: the proof that an import has lost nothing. */
import type { Fixture, RecordedRequest } from "../../replay/fixture/fixture.ts";
import { StreamPlayer } from "../../replay/fixture/player.ts";

interface Source {
  turn: number;
  step: number;
  seq: number;
  time: number;
  usage: { index: number; time: number; chunk: object }[];
  finish: object;
}

interface Timed {
  time: number;
  chunk: Record<string, unknown>;
}

const blockTypes = { text_start: "text", thinking_start: "reasoning", toolcall_start: "tool-call" } as const;
const packedTypes = {
  "text-delta": "text-chunks",
  "reasoning-delta": "reasoning-chunks",
  "tool-call-delta": "tool-call-chunks",
};

/** The lines of a log that hold chunks, packed as its writer packs them. */
export function exportChunkRows({ requests }: Fixture): string[] {
  return requests.flatMap(exportRequest);
}

function exportRequest(request: RecordedRequest): string[] {
  const source = request.source as unknown as Source;
  const chunks = chunksOf(request, source);
  const rows: string[] = [];
  for (let from = 0; from < chunks.length; ) {
    const to = endOfRun(chunks, from);
    if (to - from >= 3) rows.push(packedRow(source, chunks.slice(from, to), source.seq + from));
    else rows.push(...chunks.slice(from, to).map((chunk, index) => plainRow(source, chunk, source.seq + from + index)));
    from = to;
  }
  return rows;
}

function chunksOf(request: RecordedRequest, source: Source): Timed[] {
  const chunks: Timed[] = [];
  const player = new StreamPlayer();
  const json: string[] = [];
  for (const [index, { at, event }] of request.events.entries()) {
    player.play(request.events, index);
    const block = "contentIndex" in event ? player.partial.content[event.contentIndex] : undefined;
    const time = source.time + at;
    const add = (chunk: Record<string, unknown>) => {
      for (const usage of source.usage)
        if (usage.index === chunks.length) chunks.push({ time: usage.time, chunk: { ...usage.chunk } });
      chunks.push({ time, chunk });
    };
    switch (event.type) {
      case "text_start":
      case "thinking_start":
      case "toolcall_start":
        add({ type: "block-start", index: event.contentIndex, blockType: blockTypes[event.type] });
        break;
      case "text_delta":
        add({ type: "text-delta", index: event.contentIndex, text: event.delta });
        break;
      case "thinking_delta":
        add({ type: "reasoning-delta", index: event.contentIndex, text: event.delta });
        break;
      case "toolcall_delta": {
        const { id, name } = block as { id: string; name: string };
        json[event.contentIndex] = (json[event.contentIndex] ?? "") + event.delta;
        add({ type: "tool-call-delta", index: event.contentIndex, id, name, argumentsDelta: event.delta });
        break;
      }
      case "text_end":
        add({ type: "block-end", index: event.contentIndex, block: { type: "text", text: event.content } });
        break;
      case "thinking_end":
        add({ type: "block-end", index: event.contentIndex, block: { type: "reasoning", text: event.content } });
        break;
      case "toolcall_end": {
        const { id, name } = event.toolCall;
        const call = { type: "tool-call", id, name, arguments: json[event.contentIndex] ?? "" };
        add({ type: "block-end", index: event.contentIndex, block: call });
        break;
      }
      case "done":
      case "error":
        add({ type: "finish", reason: source.finish });
    }
  }
  return chunks;
}

function endOfRun(chunks: readonly Timed[], from: number): number {
  const first = chunks[from]?.chunk;
  let to = from + 1;
  if (first === undefined || !String(first.type).endsWith("-delta")) return to;
  while (chunks[to]?.chunk.type === first.type && chunks[to]?.chunk.index === first.index) to++;
  return to;
}

function plainRow({ turn, step }: Source, { time, chunk }: Timed, seq: number): string {
  return JSON.stringify({ type: "assistant/chunk", seq, time, data: { turn, step, chunk } });
}

function packedRow({ turn, step }: Source, run: readonly Timed[], seq0: number): string {
  const [first] = run;
  const chunk = first?.chunk ?? {};
  const dt = run.slice(1).map(({ time }, index) => time - (run[index]?.time ?? 0));
  const data =
    chunk.type === "tool-call-delta"
      ? {
          turn,
          step,
          index: chunk.index,
          dt,
          id: chunk.id,
          name: chunk.name,
          args: run.map((one) => one.chunk.argumentsDelta),
        }
      : { turn, step, index: chunk.index, dt, texts: run.map((one) => one.chunk.text) };
  const type = packedTypes[chunk.type as keyof typeof packedTypes];
  return JSON.stringify({ type, seq0, time0: first?.time, data });
}
