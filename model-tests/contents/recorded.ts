/** What the provider says, taken from a replay fixture: the checker's schedules on content that a model has streamed. */
import type { ToolCall } from "@earendil-works/pi-ai";
import { parseStreamingJson } from "@earendil-works/pi-ai/utils/json-parse";
import type { Fixture, RecordedEvent, RecordedRequest } from "../../src/index.ts";
import { Random } from "../random.ts";
import type { Saying, Sayings } from "./beat.ts";
import { inventedSayings, partialCall } from "./catalogue.ts";
import { sayingOf } from "./saying.ts";

type Kind = "text" | "thinking" | "toolCall";

interface Delta {
  readonly text: string;
  /** How many deltas the message showed when this one was told, counted from the beginning of its block. */
  readonly shown: number;
}

const kinds = { text_delta: "text", thinking_delta: "thinking", toolcall_delta: "toolCall" } as const;

/**
 * Odd requests say the tool calls of the fixture, the others pieces of its texts and thinking, each from the beginning of a
 * burst on. The seed decides which come first: a schedule has only a few requests, and a request few deltas. Where the
 * fixture has nothing of that kind, the provider says what it would say without one.
 */
export function recordedSayings({ requests }: Fixture, seed: number): Sayings {
  const random = new Random(seed);
  const blocks = requests.flatMap(blocksOf);
  const calls = shuffled(
    blocks.filter(({ kind }) => kind === "toolCall"),
    random,
  );
  const texts = shuffled(blocks.filter(({ kind }) => kind !== "toolCall").flatMap(piecesOf), random);
  const known = new Map<number, Saying>();
  return (request) => {
    const source = request % 2 === 1 ? calls : texts;
    const block = source[(request >> 1) % Math.max(1, source.length)];
    const saying = known.get(request) ?? (block === undefined ? inventedSayings(request) : recorded(request, block));
    known.set(request, saying);
    return saying;
  };
}

interface Block {
  readonly kind: Kind;
  readonly deltas: readonly Delta[];
}

/** The blocks of a stream. An empty delta gives no frame, so it is left out. */
function blocksOf({ events }: RecordedRequest): Block[] {
  const blocks = new Map<number, { kind: Kind; deltas: Delta[] }>();
  for (const [index, { event, ahead: more }] of events.entries()) {
    if (!("delta" in event)) continue;
    const block = blocks.get(event.contentIndex) ?? { kind: kinds[event.type], deltas: [] };
    blocks.set(event.contentIndex, block);
    if (event.delta === "") continue;
    const told = block.deltas.length + 1;
    const ahead = fullDeltas(events.slice(index + 1, index + 1 + (more ?? 0)));
    block.deltas.push({ text: event.delta, shown: Math.max(block.deltas.at(-1)?.shown ?? 0, told + ahead) });
  }
  return [...blocks.values()].filter(({ deltas }) => deltas.length > 0);
}

const fullDeltas = (events: readonly RecordedEvent[]): number =>
  events.filter(({ event }) => "delta" in event && event.delta !== "").length;

/** The block from each of its bursts on. */
function piecesOf({ kind, deltas }: Block): Block[] {
  return deltas.flatMap((_, from) => {
    const before = deltas[from - 1];
    if (before !== undefined && before.shown > from) return [];
    const piece = deltas.slice(from).map(({ text, shown }) => ({ text, shown: Math.max(1, shown - from) }));
    return [{ kind, deltas: piece }];
  });
}

function recorded(request: number, { kind, deltas }: Block): Saying {
  const joined = (from: number, to: number): string =>
    deltas
      .slice(from, to)
      .map(({ text }) => text)
      .join("");
  return sayingOf("recorded", request, function* (telling) {
    if (kind === "toolCall") yield telling.startCall(partialCall(request));
    else yield telling.start(kind);
    for (const [at, { text, shown }] of deltas.entries()) {
      const told = at + 1;
      if (kind !== "toolCall") yield telling.say(0, text, joined(told, shown));
      else {
        const [given, ahead] = [told, Math.max(told, shown)].map((count) => parseStreamingJson(joined(0, count)));
        yield telling.callDelta(0, text, given as ToolCall["arguments"], ahead as ToolCall["arguments"]);
      }
    }
  });
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  const result = [...items];
  for (let last = result.length - 1; last > 0; last--) {
    const other = random.below(last + 1);
    [result[last], result[other]] = [result[other] as T, result[last] as T];
  }
  return result;
}
