/** Writes answers down by one policy: to the end, or to a crash at one event. */
import { cpSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause, setImmediate as turn } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { AssistantMessage } from "@earendil-works/pi-ai";
import { burstsOf, StreamPlayer } from "../../../src/index.ts";
import type { Answers } from "./answers.ts";
import type { LogPolicy, LogWriter, Restored } from "./policy.ts";

/** What a whole log costs. */
export interface Written {
  readonly bytes: number;
  readonly writeMs: number;
  readonly loadMs: number;
}

/** Writes all answers and reads them back. */
export async function writeAll(policy: LogPolicy, answers: Answers, root: string): Promise<Written> {
  const folder = mkdtempSync(join(root, "log-"));
  const began = performance.now();
  const writer = await policy.open(folder);
  for (const _ of play(answers, writer)) {
    await writer.burst();
    await turn();
  }
  await writer.close();
  const written = performance.now();
  await policy.load(folder);
  const loadMs = performance.now() - written;
  const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  rmSync(folder, { recursive: true });
  return { bytes, writeMs: written - began, loadMs };
}

/** What a reader gets back after a crash; `undefined` where nothing was at stake. */
export interface Survived {
  /** Whether every answer that had ended is there. */
  readonly answers: boolean | undefined;
  /** The part of what was shown of the interrupted answer that is there, from 0 to 1. */
  readonly partial: number | undefined;
  /** Whether the stream of every answer that had ended is there, event by event with its times. */
  readonly streams: boolean | undefined;
  /** The part of the interrupted stream that is there, event by event with its times. */
  readonly stream: number | undefined;
}

/** Real bursts are some 25 ms apart: what is written within that time after the last one has been written. */
const burstGapMs = 25;

/** The process dies after so many bursts. */
export async function crashAfter(policy: LogPolicy, answers: Answers, bursts: number, root: string): Promise<Survived> {
  const [folder, left] = [mkdtempSync(join(root, "live-")), mkdtempSync(join(root, "left-"))];
  const writer = await policy.open(folder);
  let moment: Moment | undefined;
  for (const played of play(answers, writer)) {
    await writer.burst();
    await turn();
    if (played.number < bursts) continue;
    moment = played;
    break;
  }
  await pause(burstGapMs);
  // The lock says which process has the session; a dead one has none.
  cpSync(folder, left, { recursive: true, filter: (path) => !path.endsWith(".lock") });
  const shown = structuredClone(moment?.partial);
  await writer.close();
  const restored = await policy.load(left);
  for (const used of [folder, left]) rmSync(used, { recursive: true });
  return compare(restored, answers, moment, shown);
}

interface Moment {
  readonly number: number;
  /** Answers that have ended. */
  readonly ended: number;
  /** Events of the answer that is under way. */
  readonly events: number;
  readonly partial: AssistantMessage;
}

function* play({ requests }: Answers, writer: LogWriter): Generator<Moment> {
  let number = 0;
  for (const [ended, { events }] of requests.entries()) {
    const player = new StreamPlayer();
    for (const { from, to } of burstsOf(events)) {
      for (let index = from; index < to; index++) writer.event(events[index]?.at ?? 0, player.play(events, index));
      number++;
      const isOver = to === events.length;
      yield { number, ended: isOver ? ended + 1 : ended, events: isOver ? 0 : to, partial: player.partial };
    }
  }
}

/** How many bursts the answers have. */
export function countBursts({ requests }: Answers): number {
  return requests.reduce((sum, { events }) => sum + burstsOf(events).length, 0);
}

function compare(
  restored: Restored,
  { requests }: Answers,
  moment: Moment | undefined,
  shown?: AssistantMessage,
): Survived {
  const { ended, events } = moment ?? { ended: requests.length, events: 0 };
  const truth = requests.map((request) => request.events.map(({ at, event }) => ({ at, event })));
  const isThere = (index: number) => isDeepStrictEqual(restored.streams[index], truth[index]);
  const live = restored.streams[ended] ?? [];
  const same = live.findIndex((event, index) => !isDeepStrictEqual(event, truth[ended]?.[index]));
  return {
    answers: ended === 0 ? undefined : restored.answers.length === ended,
    partial: events === 0 ? undefined : share(sizeOf(restored.partial), sizeOf(shown)),
    streams: ended === 0 ? undefined : truth.slice(0, ended).every((_, index) => isThere(index)),
    stream: events === 0 ? undefined : share(same === -1 ? live.length : same, events),
  };
}

const share = (part: number, whole: number): number => (whole === 0 ? 1 : Math.min(1, part / whole));

/** The characters that a reader sees of a message. */
function sizeOf(message: AssistantMessage | undefined): number {
  return (message?.content ?? []).reduce((sum, block) => {
    if (block.type === "text") return sum + block.text.length;
    return sum + (block.type === "thinking" ? block.thinking.length : JSON.stringify(block.arguments).length);
  }, 0);
}
