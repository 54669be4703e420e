/** Makes sayings of tellings that end, and reads what a number of committed frames carries. */
import type { AssistantMessageFrame } from "@earendil-works/pi-ai";
import type { Beat, Blocks, Saying } from "./beat.ts";
import { Telling } from "./telling.ts";

/** What a saying says of usage. */
export type Usages = Pick<Saying, "usage" | "unreadable">;

/** Tells some updates of a request. At least one block stays open after each of them. */
export type Tell = (telling: Telling, request: number) => Iterable<Beat>;

/** The updates that `tell` tells, and after them a last block of text without end. */
export function sayingOf(name: string, request: number, tell: Tell, usages: Usages = {}): Saying {
  const told: Beat[] = [];
  const telling = new Telling();
  const beats = endless(telling, request, tell);
  return {
    name,
    ...usages,
    beat: (number) => {
      while (told.length < number) told.push(beats.next().value as Beat);
      return told[number - 1] as Beat;
    },
  };
}

function* endless(telling: Telling, request: number, tell: Tell): Generator<Beat, never> {
  yield* tell(telling, request);
  const at = telling.blocks;
  yield telling.start("text");
  for (let number = 1; ; number++) yield telling.say(at, `r${request}d${number} `);
}

/** The content that the first `frames` frames of a request carry; `undefined` when not even its start is among them. */
export function committedContent(saying: Saying, frames: number): Blocks | undefined {
  if (frames === 0) return undefined;
  return frames === 1 ? [] : saying.beat(frames - 1).carries;
}

/** The frame that stands at a position of a request's list after its start, counted from 2. */
export const updateFrame = (saying: Saying, position: number): AssistantMessageFrame => saying.beat(position - 1).frame;
