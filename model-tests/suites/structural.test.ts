/** Summaries of pi's published harness: nothing of their streams may be stored as frames or told as messages. */
import type { AgentHarness, AgentLane } from "@earendil-works/pi-agent-core";
import type { Context, Models, SimpleStreamOptions } from "@earendil-works/pi-ai";
import { beforeAll, describe, expect, test } from "vitest";
import { type EntryType, MemoryStorage, type Write } from "../../src/index.ts";
import { laneName } from "../adapters/adapter.ts";
import { observeEvents } from "../adapters/pi-agent-core/events.ts";
import { loadPi, type Pi } from "../adapters/pi-agent-core/package.ts";
import { framesNamespace } from "../world/commit-names.ts";
import { GatedStorage } from "../world/gated-storage.ts";
import { SequentialIds } from "../world/ids.ts";
import { ScriptedStream } from "../world/provider.ts";
import { RequestScript, scriptModel } from "../world/script.ts";

let pi: Pi;
beforeAll(async () => {
  ({ pi } = await loadPi());
});

/** pi's harness over one session, with everything that it hands to the store or tells its listeners noted down. */
class Scene {
  /** Landed or not. */
  readonly handedOver: Write[] = [];
  readonly told: string[] = [];
  readonly streams: ScriptedStream[] = [];
  /** How the provider answers from now on. */
  answer: (stream: ScriptedStream) => void = answered;
  readonly #store = new MemoryStorage();
  readonly #ids = new SequentialIds();
  #gate: GatedStorage | undefined;
  #harness: AgentHarness | undefined;
  #lane: AgentLane | undefined;

  get lane(): AgentLane {
    if (this.#lane === undefined) throw new Error("The scene was not booted");
    return this.#lane;
  }

  get frameWrites(): Write[] {
    return this.handedOver.filter((write) => "namespace" in write && write.namespace === framesNamespace);
  }

  get messageEvents(): string[] {
    return this.told.filter((name) => name.startsWith("message_") || name === "entry_added");
  }

  async boot(): Promise<void> {
    this.#gate = new GatedStorage(this.#store, {
      nameOf: (writes) => {
        this.handedOver.push(...writes);
        return "internal";
      },
      landed() {},
      now: () => 0,
      refused() {},
      leaked() {},
      activity() {},
    });
    const metadata = { id: "checker", createdAt: 0, storageVersion: 1 };
    const storage = this.#gate.asStorage();
    const { harness } = await pi.AgentHarness.create(
      {
        session: new pi.StorageBackedSession(metadata, storage, { idGenerator: this.#ids }),
        models: this.#models(),
        model: scriptModel,
        retry: { enabled: true, maxRetries: 1, baseDelayMs: 0 },
        compaction: { enabled: false, reserveTokens: 0, keepRecentTokens: 0 },
      },
      pi.BACKGROUND_CONTEXT,
    );
    observeEvents(harness.events, async ({ name }) => void this.told.push(name));
    this.#harness = harness;
    this.#lane = await harness.lane(laneName, pi.BACKGROUND_CONTEXT);
  }

  /** The process is gone; another one opens what it left. */
  async crash(): Promise<void> {
    this.#gate?.detach();
    await this.boot();
  }

  async close(): Promise<void> {
    await this.#harness?.close(pi.BACKGROUND_CONTEXT);
  }

  /** Forgets what was noted so far. */
  forget(): void {
    for (const noted of [this.handedOver, this.told, this.streams]) noted.length = 0;
  }

  countEntries(type: EntryType): Promise<number> {
    return this.#store.scanEntries({ type }).then((entries) => entries.length);
  }

  async firstEntry(): Promise<string> {
    const [first] = await this.#store.scanEntries({ type: "message", limit: 1 });
    if (first === undefined) throw new Error("The session has no message");
    return first.id;
  }

  /** The part of pi-ai's `Models` that pi uses; as there, a completion is the result of a stream. */
  #models(): Models {
    const streamSimple = (_model: unknown, _context: Context, options?: SimpleStreamOptions): ScriptedStream => {
      const stream: ScriptedStream = new ScriptedStream(new RequestScript(this.streams.length, 0), options?.signal, {
        pulled() {},
        signalled: () => stream.finish("aborted"),
        given() {},
      });
      this.streams.push(stream);
      this.answer(stream);
      return stream;
    };
    const completeSimple = (...request: Parameters<typeof streamSimple>) => streamSimple(...request).result();
    return { getModel: () => scriptModel, streamSimple, completeSimple } as unknown as Models;
  }
}

/** A start and a block with text: what an assistant response would leave three frames of. */
function begin(stream: ScriptedStream): void {
  stream.start();
  stream.update();
  stream.update();
}

function answered(stream: ScriptedStream): void {
  begin(stream);
  stream.finish("stop");
}

/** From now on the provider begins and does not end; resolves at the first such request. */
function hanging(scene: Scene): Promise<void> {
  return new Promise((resolve) => {
    scene.answer = (stream) => {
      begin(stream);
      resolve();
    };
  });
}

interface Course {
  readonly completes: boolean;
  take(scene: Scene, start: () => Promise<unknown>): Promise<void>;
}

/** The ways of a structural operation. */
const courses: Readonly<Record<string, Course>> = {
  "runs through": {
    completes: true,
    take: async (_scene, start) => void (await start()),
  },
  "is retried": {
    completes: true,
    async take(scene, start) {
      scene.answer = (stream) => {
        begin(stream);
        stream.finish(scene.streams.length === 1 ? "retryable" : "stop");
      };
      await start();
      expect(scene.streams.length).toBeGreaterThan(1);
    },
  },
  fails: {
    completes: false,
    async take(scene, start) {
      scene.answer = (stream) => {
        begin(stream);
        stream.finish("terminal");
      };
      await start();
    },
  },
  "is aborted": {
    completes: false,
    async take(scene, start) {
      const hangs = hanging(scene);
      const operation = start();
      await hangs;
      await scene.lane.abort(pi.BACKGROUND_CONTEXT);
      await operation;
    },
  },
  "is closed amid the stream": {
    completes: false,
    async take(scene, start) {
      const hangs = hanging(scene);
      const refused = expect(start()).rejects.toThrow("closed");
      await hangs;
      await scene.close();
      await refused;
    },
  },
  "crashes amid the stream and is resumed": {
    completes: true,
    async take(scene, start) {
      const hangs = hanging(scene);
      void start();
      await hangs;
      await scene.crash();
      scene.answer = answered;
      await scene.lane.resume(pi.BACKGROUND_CONTEXT);
    },
  },
};

const operations = {
  branch_summary: async (scene: Scene) => {
    const target = await scene.firstEntry();
    return scene.lane.navigateTree(target, { summarize: true }, pi.BACKGROUND_CONTEXT);
  },
  compaction: (scene: Scene) => scene.lane.compact(undefined, pi.BACKGROUND_CONTEXT),
} as const satisfies Partial<Record<EntryType, (scene: Scene) => Promise<unknown>>>;

describe("structural generation of pi-agent-core 0.87.1", () => {
  /** Two prompts with their answers. */
  async function conversation(): Promise<Scene> {
    const scene = new Scene();
    await scene.boot();
    for (const prompt of ["one", "two"]) await scene.lane.prompt(prompt, undefined, pi.BACKGROUND_CONTEXT);
    return scene;
  }

  test("the spies see the frames and the messages of ordinary responses", async () => {
    const scene = await conversation();
    expect(scene.streams).toHaveLength(2);
    expect(new Set(scene.frameWrites.map((write) => "op" in write && write.op))).toEqual(new Set(["append", "delete"]));
    const lifecycle = ["message_start", "message_update", "message_update", "message_end", "entry_added"];
    expect(scene.messageEvents).toEqual([...lifecycle, ...lifecycle]);
  });

  const cases = Object.entries(operations).flatMap(([type, operation]) =>
    Object.entries(courses).map(([name, course]) => [type as EntryType, name, operation, course] as const),
  );
  test.each(cases)(
    "a %s that %s [N11] never touches a frame list, [H1] and tells of no message",
    async (type, _name, operation, course) => {
      const scene = await conversation();
      scene.forget();
      await course.take(scene, () => operation(scene));
      expect(scene.streams.length).toBeGreaterThan(0);
      expect(await scene.countEntries(type)).toBe(course.completes ? 1 : 0);
      expect(scene.handedOver.length).toBeGreaterThan(0);
      expect(scene.frameWrites).toEqual([]);
      expect(scene.messageEvents).toEqual([]);
    },
  );
});
