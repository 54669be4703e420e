/** The model answers that the benchmark of logs writes down: recorded ones, and one long generated one. */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import {
  type Fixture,
  importSessionLog,
  type RecordedEvent,
  type RecordedRequest,
  readFixture,
} from "../../../src/index.ts";
import { UsageError } from "../../errors.ts";
import { Random } from "../../random.ts";

/** Answers under a name of their own. */
export interface Answers {
  readonly name: string;
  readonly requests: readonly RecordedRequest[];
}

/**
 * The answers of every session log and fixture of a folder.
 *
 * @throws {UsageError} when there is none.
 */
export async function answersIn(folder: string): Promise<Answers[]> {
  const found: Answers[] = [];
  for (const name of namesIn(folder)) {
    const { requests } = await load(join(folder, name));
    // What was edited in a published recording may be days away; no answer takes as long.
    found.push({ name: basename(name, ".jsonl"), requests: requests.map(withShortGaps) });
  }
  if (found.length === 0) throw new UsageError(`There is no session log and no fixture (*.jsonl) in ${folder}.`);
  return found;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
  } catch {
    throw new UsageError(`There is no folder ${folder}. Name one with recorded session logs.`);
  }
}

async function load(path: string): Promise<Fixture> {
  const text = readFileSync(path, "utf8");
  return text.startsWith('{"type":"replay-fixture"') ? readFixture(path) : importSessionLog(text);
}

const longestGapMs = 60_000;

function withShortGaps(request: RecordedRequest): RecordedRequest {
  let at = 0;
  let before = 0;
  const events = request.events.map((recorded): RecordedEvent => {
    at += Math.min(Math.max(0, recorded.at - before), longestGapMs);
    before = recorded.at;
    return { ...recorded, at };
  });
  return { ...request, events };
}

/** One answer of so many deltas of some five characters, three to a burst, a burst every 25 milliseconds. */
export function generatedAnswer(deltas: number): Answers {
  const random = new Random(1);
  const usage = { input: 1_000, output: deltas, cacheRead: 0, cacheWrite: 0, totalTokens: 1_000 + deltas };
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const head = {
    role: "assistant",
    api: "x",
    provider: "generated",
    model: "long",
    stopReason: "pending",
    timestamp: 0,
  } as const;
  const events: RecordedEvent[] = [
    { at: 0, event: { type: "start" }, change: { set: { ...head, usage: { ...usage, cost } } } },
    { at: 0, event: { type: "text_start", contentIndex: 0 } },
  ];
  let text = "";
  for (let number = 0; number < deltas; number++) {
    const delta = wordOf(random);
    text += delta;
    const ahead = number % 3 === 0 ? Math.min(2, deltas - number - 1) : 0;
    const event = { type: "text_delta", contentIndex: 0, delta } as const;
    events.push({ at: Math.floor(number / 3) * 25, event, ...(ahead > 0 && { ahead }) });
  }
  const at = Math.ceil(deltas / 3) * 25;
  events.push({ at, event: { type: "text_end", contentIndex: 0, content: text } });
  events.push({ at, event: { type: "done", reason: "stop" }, change: { set: { stopReason: "stop" } } });
  const model = { provider: "generated", id: "long", api: "x" };
  const request: RecordedRequest = { at: 0, call: "streamSimple", model, events, end: { at, kind: "complete" } };
  return { name: `generated, ${deltas} deltas`, requests: [request] };
}

function wordOf(random: Random): string {
  const letters = Array.from({ length: 2 + random.below(6) }, () => String.fromCharCode(97 + random.below(26)));
  return ` ${letters.join("")}`;
}
