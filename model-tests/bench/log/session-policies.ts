/** This project's log: frames until settlement, assembled answers afterwards, with a replay fixture beside it or not. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import type { AssistantMessage, AssistantMessageEvent, AssistantMessageFrame, Model } from "@earendil-works/pi-ai";
import {
  AssistantMessageFrameEncoder,
  reduceAssistantMessageFrames,
} from "@earendil-works/pi-ai/utils/assistant-message-frame";
import { AssistantMessageEventStream } from "@earendil-works/pi-ai/utils/event-stream";
import {
  appendList,
  type Clock,
  deleteList,
  FixtureRecorder,
  fixtureFile,
  insertEntry,
  insertUsage,
  JsonlStorage,
  packFixture,
  pendingAssistantFrames,
  readFixture,
} from "../../../src/index.ts";
import { finalOf, type LogPolicy, type LogWriter, type Restored } from "./policy.ts";

const model = { provider: "bench", id: "bench", api: "bench" } as unknown as Model<string>;
const framesOf = (answer: number) => pendingAssistantFrames("operation", `answer-${answer}`);

/** Frames while an answer is streamed, one transaction each; its settlement deletes them (D1). */
export const frames = sessionPolicy("frames, before compaction", { compacts: false });

/** The same, compacted at the end. */
export const assembled = sessionPolicy("frames, compacted: assembled", { compacts: true });

/** The same, with a fixture beside it. */
export const withFixture = sessionPolicy("assembled + fixture", { compacts: true, fixture: "plain" });

/** The same, with a fixture that is compressed at the end. */
export const withCompressedFixture = sessionPolicy("assembled + fixture, gzip", { compacts: true, fixture: "gzip" });

const fixtureName = "session.jsonl.replay-1.jsonl";

function sessionPolicy(name: string, kind: { compacts: boolean; fixture?: "plain" | "gzip" }): LogPolicy {
  return {
    name,
    open: async (folder) => {
      const storage = await JsonlStorage.open(join(folder, "session.jsonl"), { durability: "process" });
      const recording =
        kind.fixture === undefined ? undefined : new Recording(join(folder, fixtureName), kind.fixture === "gzip");
      return new SessionLog(storage, kind.compacts, recording);
    },
    load: (folder) => load(folder, kind.fixture !== undefined),
  };
}

class SessionLog implements LogWriter {
  readonly #storage: JsonlStorage;
  readonly #compacts: boolean;
  readonly #recording: Recording | undefined;
  #encoder = new AssistantMessageFrameEncoder();
  #answer = 0;
  #latest: Promise<unknown> = Promise.resolve();

  constructor(storage: JsonlStorage, compacts: boolean, recording: Recording | undefined) {
    this.#storage = storage;
    this.#compacts = compacts;
    this.#recording = recording;
  }

  event(at: number, event: AssistantMessageEvent): void {
    this.#recording?.event(at, event);
    const frame = this.#encoder.encode(event);
    if (frame !== undefined) this.#latest = this.#storage.commit([appendList(framesOf(this.#answer), frame)]);
    const message = finalOf(event);
    if (message !== undefined) this.#settle(message);
  }

  burst(): void {}

  async close(): Promise<void> {
    await this.#latest;
    if (this.#compacts) await this.#storage.compact();
    await this.#storage.close();
    await this.#recording?.close();
  }

  #settle(message: AssistantMessage): void {
    const number = this.#answer++;
    const id = `answer-${number}`;
    const parentId = number === 0 ? null : `answer-${number - 1}`;
    this.#encoder = new AssistantMessageFrameEncoder();
    this.#latest = this.#storage.commit([
      insertEntry({ id, parentId, type: "message", message }),
      insertUsage({ id: `usage-${number}`, usage: message.usage, entryId: id, adjustment: false }),
      deleteList(framesOf(number)),
    ]);
  }
}

/** A recorder beside the log, whose clock shows the times of the recording. */
class Recording {
  readonly #clock = new EventClock();
  readonly #path: string;
  readonly #gzip: boolean;
  readonly #recorder: FixtureRecorder;
  readonly #provider: { stream(model: Model<string>): AssistantMessageEventStream };
  #source: AssistantMessageEventStream | undefined;

  constructor(path: string, gzip: boolean) {
    this.#path = path;
    this.#gzip = gzip;
    this.#recorder = new FixtureRecorder({ sink: fixtureFile(path), clock: this.#clock });
    this.#provider = this.#recorder.wrap({ stream: () => this.#source as AssistantMessageEventStream });
  }

  event(at: number, event: AssistantMessageEvent): void {
    if (this.#source === undefined) {
      this.#clock.begin();
      this.#source = new AssistantMessageEventStream();
      this.#provider.stream(model);
    }
    this.#clock.set(at);
    this.#source.push(event);
    if (finalOf(event) === undefined) return;
    this.#source.end();
    this.#source = undefined;
  }

  async close(): Promise<void> {
    await this.#recorder.close();
    await packFixture(this.#path, { gzip: this.#gzip });
  }
}

/** Time passes when an event says so. */
class EventClock implements Clock {
  #began = 0;
  #now = 0;

  now(): number {
    return this.#now;
  }

  begin(): void {
    this.#began = this.#now;
  }

  set(at: number): void {
    this.#now = this.#began + at;
  }

  async sleepUntil(timeMs: number, signal: AbortSignal): Promise<void> {
    await turn();
    while (this.#now < timeMs && !signal.aborted) await turn();
  }
}

async function load(folder: string, hasFixture: boolean): Promise<Restored> {
  const storage = await JsonlStorage.open(join(folder, "session.jsonl"), { durability: "process" });
  try {
    const entries = await storage.scanEntries({ order: "asc" });
    const answers = entries.flatMap((entry) => (entry.type === "message" ? [entry.message as AssistantMessage] : []));
    const partial = reduceAssistantMessageFrames(await readFrames(storage, answers.length));
    return { answers, partial, streams: hasFixture ? await streamsIn(join(folder, fixtureName)) : [] };
  } finally {
    await storage.close();
  }
}

async function readFrames(storage: JsonlStorage, answer: number): Promise<AssistantMessageFrame[]> {
  const found: AssistantMessageFrame[] = [];
  let last: { seq: number } | undefined;
  do {
    const page = await storage.readList(framesOf(answer), last === undefined ? {} : { cursor: last });
    found.push(...page.map(({ value }) => value));
    last = page.at(-1);
  } while (last !== undefined);
  return found;
}

async function streamsIn(path: string): Promise<Restored["streams"]> {
  const found = [path, `${path}.gz`].find((name) => existsSync(name));
  const { requests } = found === undefined ? { requests: [] } : await readFixture(found);
  return requests.map(({ events }) => events.map(({ at, event }) => ({ at, event })));
}
