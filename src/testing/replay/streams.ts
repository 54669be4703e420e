/** Generated provider streams: every legal shape that pi-ai's protocol allows, in bursts that share one live message. */
import type { AssistantMessage, AssistantMessageEvent, ToolCall } from "@earendil-works/pi-ai";
import { parseStreamingJson } from "@earendil-works/pi-ai/utils/json-parse";
import fc from "fast-check";

/** One thing that a provider does: it changes its message and gives an event of it. */
type Move = (partial: AssistantMessage) => AssistantMessageEvent;

/** The moves that a provider makes in one go, so many milliseconds after the burst before. */
interface GeneratedBurst {
  readonly gapMs: number;
  readonly moves: readonly Move[];
}

/** A provider stream that can be given once. */
export interface GeneratedStream {
  readonly partial: AssistantMessage;
  readonly bursts: readonly GeneratedBurst[];
  /** Whether each event gets a shallow copy of the message, as some providers do. */
  readonly copies: boolean;
}

/** A new message of no content. */
export function newPartial(): AssistantMessage {
  return {
    role: "assistant",
    content: [],
    api: "openai-completions",
    provider: "generated",
    model: "m",
    usage: usageOf(0),
    stopReason: "pending",
    timestamp: 1,
  };
}

const usageOf = (output: number): AssistantMessage["usage"] => ({
  input: 1,
  output,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 1 + output,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
});

/** Texts in pieces, cut anywhere: also inside surrogate pairs, and into empty pieces. */
const pieces = (text: fc.Arbitrary<string>): fc.Arbitrary<string[]> =>
  fc.tuple(text, fc.array(fc.nat(40), { maxLength: 6 })).map(([whole, cuts]) => {
    const places = [0, ...cuts.map((cut) => cut % (whole.length + 1)).sort((a, b) => a - b), whole.length];
    return places.slice(1).map((place, index) => whole.slice(places[index], place));
  });

const anyText = fc.oneof(fc.string(), fc.string({ unit: "binary" }), fc.constant("a\u2028b\u0000😀é\n"));

const signature = fc.option(fc.string(), { nil: undefined });

const textBlock = fc.tuple(pieces(anyText), signature).map(([deltas, textSignature]) => (index: number): Move[] => [
  (partial) => {
    partial.content[index] = { type: "text", text: "" };
    return { type: "text_start", contentIndex: index, partial };
  },
  ...deltas.map(
    (delta): Move =>
      (partial) => {
        (partial.content[index] as { text: string }).text += delta;
        return { type: "text_delta", contentIndex: index, delta, partial };
      },
  ),
  (partial) => {
    const block = partial.content[index] as { text: string; textSignature?: string };
    if (textSignature !== undefined) block.textSignature = textSignature;
    return { type: "text_end", contentIndex: index, content: block.text, partial };
  },
]);

const thinkingBlock = fc
  .tuple(pieces(anyText), signature, fc.boolean())
  .map(([given, thinkingSignature, redacted]) => (index: number): Move[] => {
    const deltas = redacted ? [] : given;
    return [
      (partial) => {
        partial.content[index] = redacted
          ? { type: "thinking", thinking: given.join(""), redacted: true }
          : { type: "thinking", thinking: "" };
        return { type: "thinking_start", contentIndex: index, partial };
      },
      ...deltas.map(
        (delta): Move =>
          (partial) => {
            (partial.content[index] as { thinking: string }).thinking += delta;
            return { type: "thinking_delta", contentIndex: index, delta, partial };
          },
      ),
      (partial) => {
        const block = partial.content[index] as { thinking: string; thinkingSignature?: string };
        if (thinkingSignature !== undefined) block.thinkingSignature = thinkingSignature;
        return { type: "thinking_end", contentIndex: index, content: block.thinking, partial };
      },
    ];
  });

const someArguments = fc.oneof(
  fc.dictionary(fc.string(), fc.jsonValue()),
  fc.constant({ $number: "NaN", $$number: 1 }),
  fc.constant(JSON.parse('{"__proto__": {"a": 1}}') as Record<string, unknown>),
) as fc.Arbitrary<ToolCall["arguments"]>;

const toolBlock = someArguments.chain((given) =>
  fc
    .tuple(pieces(fc.constant(JSON.stringify(given))), fc.constantFrom("parsed", "still", "at once"))
    .map(([deltas, way]) => (index: number): Move[] => {
      let json = "";
      const call = (args: ToolCall["arguments"]): ToolCall => ({
        type: "toolCall",
        id: "c",
        name: "n",
        arguments: args,
      });
      return [
        (partial) => {
          partial.content[index] = call(way === "at once" ? structuredClone(given) : {});
          return { type: "toolcall_start", contentIndex: index, partial };
        },
        ...deltas.map(
          (delta): Move =>
            (partial) => {
              json += delta;
              if (way === "parsed") (partial.content[index] as ToolCall).arguments = parseStreamingJson(json);
              return { type: "toolcall_delta", contentIndex: index, delta, partial };
            },
        ),
        (partial) => {
          partial.content[index] = call(given);
          return { type: "toolcall_end", contentIndex: index, toolCall: call(structuredClone(given)), partial };
        },
      ];
    }),
);

const end: fc.Arbitrary<Move> = fc
  .tuple(fc.constantFrom("stop", "length", "toolUse", "deferred", "error", "aborted"), fc.boolean(), fc.nat(9))
  .map(([reason, shared, output]) => (partial: AssistantMessage): AssistantMessageEvent => {
    const message = shared ? partial : structuredClone(partial);
    message.stopReason = reason;
    message.usage = output === 9 ? { ...usageOf(0), output: Number.NaN, input: -0 } : usageOf(output);
    if (reason === "deferred") message.deferred = { provider: "generated", modelId: "m", api: "x", id: "d" };
    if (reason !== "error" && reason !== "aborted") return { type: "done", reason, message };
    message.errorMessage = "529 overloaded";
    return { type: "error", reason, error: message };
  });

/** A move with something that changes on the message and has no event of its own. */
const withAside = (move: Move, aside: number): Move =>
  aside % 4 !== 0
    ? move
    : (partial) => {
        partial.responseId = `r${aside}`;
        partial.usage = usageOf(aside);
        return move(partial);
      };

/** Some blocks, whose events may come in any order that the protocol allows. */
const moves: fc.Arbitrary<() => Move[]> = fc
  .tuple(
    fc.array(fc.oneof(textBlock, thinkingBlock, toolBlock), { maxLength: 4 }),
    fc.array(fc.nat(9), { minLength: 60, maxLength: 60 }),
    end,
    fc.boolean(),
  )
  .map(([blocks, choices, ending, failsAtOnce]) => () => {
    if (failsAtOnce && ending(newPartial()).type === "error") return [ending];
    const waiting = blocks.map((block, index) => block(index));
    const started: Move[] = [(partial) => ({ type: "start", partial })];
    const open: Move[][] = [];
    for (let turn = 0; waiting.length > 0 || open.length > 0; turn++) {
      const choice = choices[turn % choices.length] ?? 0;
      if (waiting.length > 0 && (open.length === 0 || choice < 3)) {
        // A block starts when it is opened: blocks start in index order.
        const block = waiting.shift() as Move[];
        started.push(block.shift() as Move);
        open.push(block);
      }
      const at = choice % open.length;
      const move = open[at]?.shift();
      if (move !== undefined) started.push(withAside(move, choice));
      if (open[at]?.length === 0) open.splice(at, 1);
    }
    return [...started, ending];
  });

/** Any stream that a provider may give; each call makes the same one anew. */
export const anyStream: fc.Arbitrary<() => GeneratedStream> = fc
  .tuple(moves, fc.array(fc.tuple(fc.integer({ min: 1, max: 6 }), fc.nat(50)), { minLength: 1 }), fc.boolean())
  .map(([makeMoves, sizes, copies]) => () => {
    const all = makeMoves();
    const bursts: GeneratedBurst[] = [];
    for (let from = 0, turn = 0; from < all.length; turn++) {
      const [size, gapMs] = sizes[turn % sizes.length] ?? [1, 0];
      bursts.push({ gapMs, moves: all.slice(from, from + size) });
      from += size;
    }
    return { partial: newPartial(), bursts, copies };
  });
