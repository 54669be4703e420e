/** The stream waits for listeners and for nothing else (C1 to C3). */
import type { AssistantMessageEvent, AssistantMessageEventStream } from "@earendil-works/pi-ai";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { CommitResult } from "../../storage/contract/storage.ts";
import type { Write } from "../../storage/contract/writes.ts";
import { assistant, done, openWorld, ParkingStorage, quiet } from "../../testing/harness/fakes.ts";
import { LiveResponse, text } from "../../testing/harness/recording.ts";
import type { Listener } from "../listening/events.ts";
import type { HarnessHooks } from "../options.ts";

/** A start, a block of so many deltas, and the end. */
function* answer(deltas: number): Generator<AssistantMessageEvent> {
  const live = new LiveResponse();
  yield live.start();
  yield live.open(text());
  for (let index = 0; index < deltas; index++) yield live.delta(0, "ha");
  yield live.end(0);
  yield done(assistant("haha"));
}

/** Notes when somebody looks at the message of a delta: the encoder needs only the delta itself. */
function watched(event: AssistantMessageEvent, log: string[]): AssistantMessageEvent {
  if (event.type !== "text_delta") return event;
  const { partial, ...rest } = event;
  return {
    ...rest,
    get partial() {
      if (log.at(-1) !== "look") log.push("look");
      return partial;
    },
  };
}

/** A provider that has all of its events ready, and notes when it is asked for the next. */
function ready(events: Iterator<AssistantMessageEvent>, log: string[]): AsyncIterable<AssistantMessageEvent> {
  let pulls = 0;
  return {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        log.push(`pull ${++pulls}`);
        const { done, value } = events.next() as IteratorResult<AssistantMessageEvent>;
        return done === true ? { done, value } : { value: watched(value, log) };
      },
    }),
  };
}

/** Notes the frames that it is handed, by the kind of each transaction's writes. */
class LoggingStorage extends ParkingStorage {
  readonly #log: string[];

  constructor(log: string[]) {
    super();
    this.#log = log;
  }

  override commit(writes: Write[]): Promise<CommitResult> {
    const appends = writes.map((write) =>
      write.kind === "list" && write.op === "append" ? frameType(write) : "other",
    );
    if (!appends.includes("other")) this.#log.push(`commit ${appends.join("+")}`);
    return super.commit(writes);
  }
}

const frameType = ({ value }: { value: unknown }): string => (value as { type: string }).type;

async function scheduled(deltas: number, hooks: HarnessHooks = {}) {
  const log: string[] = [];
  const onEvent: Listener = ({ type }) => {
    if (type === "message_start" || type === "message_update") log.push("told");
  };
  const storage = new LoggingStorage(log);
  const { lane, provider } = await openWorld({ hooks, onEvent }, storage);
  provider.streamSimple = () => ready(answer(deltas), log) as AssistantMessageEventStream;
  await lane.accept({ prompt: "Hi" });
  return { lane, storage, log };
}

describe("[C3] with timers that never fire", () => {
  const timers = ["setTimeout", "setInterval", "setImmediate"] as const;

  beforeEach(() => {
    vi.useFakeTimers({ toFake: [...timers] });
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  test("a whole stream settles, each frame in a transaction of its own, and none is set", async () => {
    const calls = timers.map((name) => vi.spyOn(globalThis, name));
    const { lane, log } = await scheduled(40);
    expect(await lane.activate()).toMatchObject({ kind: "settled", result: { status: "completed" } });
    expect(log.filter((line) => line.startsWith("commit"))).toEqual([
      "commit start",
      "commit text_start",
      ...Array.from({ length: 40 }, () => "commit text_delta"),
      "commit text_end",
    ]);
    for (const called of calls) expect(called).not.toHaveBeenCalled();
  });
});

describe("[C3] with a store that replies to no frame", () => {
  /** Activates, lands the intent and nothing after it. */
  async function stalled(deltas: number, hooks: HarnessHooks = {}) {
    const { lane, storage, log } = await scheduled(deltas, hooks);
    storage.armed = true;
    const outcome = lane.activate();
    await quiet();
    await storage.land();
    return { storage, log, outcome };
  }

  test("[C1] [C2] each is handed over alone, before its event is told and before the next is taken", async () => {
    const { storage, log } = await stalled(2);
    const frames = ["start", "text_start", "text_delta", "text_delta", "text_end"];
    const steps = frames.flatMap((type, index) => [
      `pull ${index + 1}`,
      `commit ${type}`,
      // The frame is with the store before anybody has even looked at the message: nothing ran in between.
      ...(type === "text_delta" ? ["look"] : []),
      "told",
    ]);

    expect(log).toEqual([...steps, "pull 6", "pull 7"]);
    expect(storage.parked.map(({ writes }) => writes.length)).toEqual([1, 1, 1, 1, 1]);
  });

  test("[C5] the end waits for the latest alone; the line makes that mean all", async () => {
    const afterResponse = vi.fn(() => undefined);
    const { storage, outcome } = await stalled(2, { afterResponse });
    expect(afterResponse).not.toHaveBeenCalled();
    // No honest store replies out of order: this one shows which promise is awaited.
    storage.parked.pop()?.land();
    await quiet();
    expect(afterResponse).toHaveBeenCalledOnce();
    expect(storage.parked).toHaveLength(4);
    while (storage.parked.length > 0) await storage.land();
    expect(await outcome).toMatchObject({ result: { status: "completed" } });
  });
});
