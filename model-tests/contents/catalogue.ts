/** Contents by name: what a provider may stream. Every one meets every state of the machine that has content. */
import type { ToolCall, Usage } from "@earendil-works/pi-ai";
import type { Saying, Sayings } from "./beat.ts";
import { sayingOf, type Tell, type Usages } from "./saying.ts";
import { noNumbers, partlyMissing, unreadableUsage } from "./unreadable-usage.ts";

const callOf = (request: number, name: string, given: ToolCall["arguments"]): ToolCall => ({
  type: "toolCall",
  id: `${name}-${request}`,
  name: "probe",
  arguments: given,
});

/** The call that a request begins and does not end. */
export const partialCall = (request: number): ToolCall => callOf(request, "partial", {});

/** An open call: its stream is cut off before it ends. */
const interruptedCall: Tell = function* (telling, request) {
  yield telling.startCall(partialCall(request));
  const given: ToolCall["arguments"] = {};
  for (let number = 1; number <= 8; number++) {
    const json = `${number === 1 ? "{" : ","}"d${number}":"r${request}"`;
    given[`d${number}`] = `r${request}`;
    yield telling.callDelta(0, json, { ...given });
  }
};

const usageSoFar: Usage = {
  input: 7,
  output: 3,
  cacheRead: 2,
  cacheWrite: 1,
  totalTokens: 13,
  cost: { input: 0.5, output: 0.25, cacheRead: 0.125, cacheWrite: 0.0625, total: 0.9375 },
};

const long = "0123456789abcdef".repeat(512);

/** What is told of each content, by its name. */
const tellings = {
  "plain text": function* () {},
  "an interrupted tool call": interruptedCall,
  "thinking, then text": function* (telling, request) {
    yield telling.start("thinking");
    yield telling.say(0, `r${request} why `);
    yield telling.say(0, "how ");
    yield telling.start("text");
    yield telling.end(0, undefined, { thinkingSignature: `signed-${request}` });
    yield telling.say(1, `r${request} so `);
  },
  "redacted thinking": function* (telling, request) {
    yield telling.start("thinking", "", { redacted: true, thinkingSignature: `sealed-${request}` });
    yield telling.start("text");
    yield telling.end(0, "[hidden]", { redacted: true, thinkingSignature: `sealed-${request}` });
  },
  "several tool calls": function* (telling, request) {
    yield telling.startCall(callOf(request, "first", {}));
    yield telling.callDelta(0, '{"a":1}', { a: 1 });
    yield telling.startCall(callOf(request, "second", {}));
    yield telling.endCall(0, callOf(request, "first", { a: 1 }));
    yield telling.callDelta(1, '{"b":[true', { b: [true] });
    yield telling.callDelta(1, ',"x"', { b: [true, "x"] });
  },
  "interleaved blocks": function* (telling, request) {
    yield telling.start("text");
    yield telling.start("thinking");
    yield telling.say(0, `r${request} a `);
    yield telling.say(1, `r${request} b `);
    yield telling.startCall(callOf(request, "between", {}));
    yield telling.say(0, "c ");
    yield telling.callDelta(2, '{"k":null', { k: null });
    yield telling.end(1);
    yield telling.say(0, "d ");
  },
  "ends that correct": function* (telling, request) {
    yield telling.start("text");
    yield telling.say(0, `r${request} helo`);
    yield telling.startCall(callOf(request, "draft", {}));
    yield telling.end(0, `r${request} hello`, { textSignature: `signed-${request}` });
    yield telling.callDelta(1, '{"n":1', { n: 1 });
    yield telling.start("text");
    yield telling.endCall(1, { ...callOf(request, "final", { n: 2 }), name: "other" });
  },
  "half surrogate pairs": function* (telling, request) {
    yield telling.start("text");
    yield telling.say(0, `r${request} \ud83d`);
    yield telling.say(0, "\ude00 \ud83d");
    yield telling.start("thinking", "\ud83d");
    yield telling.say(0, "\ude80");
    yield telling.say(1, "\ud83d\ude02");
  },
  "a message ahead of its events": function* (telling, request) {
    yield telling.start("text", "ab");
    yield telling.say(0, "abc", "def");
    yield telling.say(0, "d", "ef");
    yield telling.startCall(callOf(request, "ahead", { a: "b" }));
    yield telling.say(0, "ef");
    yield telling.callDelta(1, '{"a":"b"}', { a: "b" });
  },
  "repeated deltas": function* (telling) {
    yield telling.start("text");
    for (let times = 0; times < 6; times++) yield telling.say(0, "ha ");
  },
  "huge deltas": function* (telling, request) {
    yield telling.start("text");
    yield telling.say(0, `r${request} ${long}`);
    yield telling.say(0, long);
  },
  "awkward characters": function* (telling) {
    yield telling.start("text");
    yield telling.say(0, '"\\\u0000\u2028\n');
    yield telling.say(0, "\ufeff{}[],:\r");
    yield telling.startCall(callOf(0, "__proto__", {}));
    yield telling.callDelta(1, '{"constructor":""', { constructor: "" } as ToolCall["arguments"]);
  },
  "usage while streaming": interruptedCall,
  "usage in part": function* () {},
  "usage that is no number": interruptedCall,
} as const satisfies Readonly<Record<string, Tell>>;

/** The name of a content. */
export type ContentName = keyof typeof tellings;
/** Every content, in the order in which requests take them. */
export const contentNames = Object.keys(tellings) as readonly ContentName[];

/** What each content says of usage, by its request. */
const usages: Partial<Record<ContentName, (request: number) => Usages>> = {
  "usage while streaming": () => ({ usage: usageSoFar }),
  "usage in part": (request) => ({ unreadable: unreadableUsage(partlyMissing, request) }),
  "usage that is no number": (request) => ({ unreadable: unreadableUsage(noNumbers, request) }),
};

const known = new Map<string, Saying>();

/** What a request says under a content; the same for each run. */
function said(name: ContentName, request: number): Saying {
  const key = `${name} ${request}`;
  const saying = known.get(key) ?? sayingOf(name, request, tellings[name], usages[name]?.(request));
  known.set(key, saying);
  return saying;
}

/** A catalogue without what is left out. */
export const contentsWithout = (leftOut: readonly ContentName[]): readonly ContentName[] =>
  contentNames.filter((name) => !leftOut.includes(name));

/**
 * Every request has the next content of the catalogue, so that a run meets several.
 *
 * @param first the place in the catalogue of what the first request says.
 * @param leftOut what no later request says.
 */
export function catalogueSayings(first: number, leftOut: readonly ContentName[] = []): Sayings {
  const later = contentsWithout(leftOut);
  const named = (request: number): ContentName =>
    (request === 1 ? contentNames[first] : later[(first + request - 1) % later.length]) as ContentName;
  return (request) => said(named(request), request);
}

/** By turns an interrupted tool call, which an interruption leaves unfinished (N10), and plain text. */
export const inventedSayings: Sayings = (request) =>
  said(request % 2 === 1 ? "an interrupted tool call" : "plain text", request);
