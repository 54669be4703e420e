/** The answer that streams while a disk fails. */
import type { AssistantMessage, AssistantMessageEvent } from "@earendil-works/pi-ai";
import { zeroUsage } from "../../storage/contract/usage-totals.ts";
import { assistant, done } from "../harness/fakes.ts";
import { LiveResponse, text, thinking } from "../harness/recording.ts";

/** A few of them fill a page of SQLite. */
const piece = (letter: string) => letter.repeat(1_200);

const usage = { ...zeroUsage(), input: 9, totalTokens: 9 };

export const answer: AssistantMessage = assistant("", {
  content: [text([..."abcdefg"].map(piece).join("")), thinking("hm")],
  responseId: "answer",
  usage,
});

/**
 * The answer as the provider sends it: burst after burst, with an idle disk in between. Each event makes one frame, but
 * for the last one, which comes while frames are on their way.
 */
export function bursts(): AssistantMessageEvent[][] {
  const live = new LiveResponse({ responseId: "answer", usage });
  const delta = (letter: string) => () => live.delta(0, piece(letter));
  return [
    asTheyHappen([() => live.start(), () => live.open(text()), delta("a")]),
    asTheyHappen([delta("b"), delta("c"), delta("d")]),
    asTheyHappen([delta("e"), delta("f"), delta("g")]),
    [...asTheyHappen([() => live.end(0), () => live.open(thinking()), () => live.delta(1, "hm")]), done(answer)],
  ];
}

/** The same answer at once, in the fewest events. */
export function wholeAnswer(): AssistantMessageEvent[] {
  return [new LiveResponse({ responseId: "answer" }).start(), done(answer)];
}

/** With the message as it is at each of them, which the growing message that they share is not any more. */
function asTheyHappen(steps: readonly (() => AssistantMessageEvent)[]): AssistantMessageEvent[] {
  return steps.map((step) => structuredClone(step()));
}
