/** Migrations of frames (L2). */
import { readdirSync } from "node:fs";
import type { AssistantMessageFrame } from "@earendil-works/pi-ai";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { list, value } from "../addresses/address.ts";
import { FrameMapFailed } from "../errors.ts";
import type { SessionImage, Survivor } from "../storage/contract/image.ts";
import { appendList, deleteList, setValue, type Write } from "../storage/contract/writes.ts";
import { newMemorySession } from "../storage/memory/import.ts";
import { MemoryStorage } from "../storage/memory/memory.ts";
import { commitAll, everythingIn, foldersOfTests, ticking } from "../testing/maintenance/new-sessions.ts";
import { storeNamed, storePairs } from "../testing/storage/stores.ts";
import { type FrameMap, migrateFrames } from "./migrate-frames.ts";

const { newFolder } = foldersOfTests();

/** An element of a shape that once was: a delta by another name, or one whose text is lost. */
type Old = { readonly piece: string } | { readonly lost: true };

const delta = (text: string): AssistantMessageFrame => ({ type: "text_delta", contentIndex: 0, delta: text });

const map: FrameMap = (element) => {
  const { piece, lost } = element as { piece?: string; lost?: true };
  if (lost !== undefined) return undefined;
  return piece === undefined ? (element as AssistantMessageFrame) : delta(piece);
};

const frames = (key: string) => list<unknown>("pi.pending.assistant_frame", key);

const keys = ["o:r", "o:s", "p:r"] as const;
const element = fc.oneof(
  { weight: 6, arbitrary: fc.string({ unit: "binary" }).map((piece): Old => ({ piece })) },
  { weight: 6, arbitrary: fc.string({ unit: "binary" }).map(delta) },
  { weight: 1, arbitrary: fc.constant<Old>({ lost: true }) },
);
const key = fc.constantFrom(...keys);
const write: fc.Arbitrary<Write> = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(key, element).map(([at, frame]) => appendList(frames(at), frame)) },
  { weight: 1, arbitrary: key.map((at) => deleteList(frames(at))) },
  // Neighbours of the lists, which are none of the map's business.
  { weight: 1, arbitrary: key.map((at) => appendList(list<Old>("app.frames", at), { piece: "mine" })) },
  { weight: 1, arbitrary: key.map((at) => setValue(value<Old>("pi.pending.assistant_frame", at), { lost: true })) },
  {
    weight: 1,
    arbitrary: key.map((at) => setValue(value<unknown>("pi.op.state", at), { at: "assistant.effect_pending" })),
  },
);
const session = fc.array(fc.array(write, { minLength: 1, maxLength: 5 }), { maxLength: 10 });

/** What must become of the survivors, list by list. */
function expectedOf(survivors: readonly Survivor[]): { survivors: Survivor[]; mapped: string[]; dropped: string[] } {
  const elements = survivors.filter(isFrameElement);
  const keysOf = (some: readonly Survivor[]) => new Set(some.map(({ write }) => (write as { key: string }).key));
  const dropped = keysOf(elements.filter(({ write }) => "lost" in contentOf(write)));
  const left = survivors.filter((one) => !isFrameElement(one) || !dropped.has((one.write as { key: string }).key));
  return {
    survivors: left.map((one) => (isFrameElement(one) ? { ...one, write: migrated(one.write) } : one)),
    mapped: [...keysOf(elements)].filter((one) => !dropped.has(one)),
    dropped: [...dropped],
  };
}

const isFrameElement = ({ write }: Survivor) =>
  write.kind === "list" && write.namespace === "pi.pending.assistant_frame";
const contentOf = (write: Survivor["write"]) => (write as { value: object }).value;
const migrated = (write: Survivor["write"]) => {
  const content = contentOf(write);
  return { ...write, value: "piece" in content ? delta(String(content.piece)) : content } as Survivor["write"];
};

describe.each(storePairs)("a migration of frames from %s to %s", (from, to) => {
  test("[L2] maps every element of a list in its place or drops the list, and touches nothing else", async () => {
    await fc.assert(
      fc.asyncProperty(session, async (transactions) => {
        const source = await storeNamed(from).openIn(newFolder(), ticking());
        await commitAll(source, transactions);
        const before = await everythingIn(source);
        const first = await migrateFrames(source, storeNamed(to).newIn(newFolder(), ticking()), map);
        const { survivors, mapped, dropped } = expectedOf(before.survivors);
        const after = await everythingIn(first.session);
        expect(after).toEqual({ nextSeq: before.nextSeq, survivors });
        expect([new Set(first.mapped), new Set(first.dropped)]).toEqual([new Set(mapped), new Set(dropped)]);
        const second = await migrateFrames(first.session, storeNamed(from).newIn(newFolder(), ticking()), map);
        expect(await everythingIn(second.session)).toEqual(after);
        expect(second.dropped).toEqual([]);
        expect(await everythingIn(source)).toEqual(before);
        await Promise.all([source.close(), first.session.close(), second.session.close()]);
      }),
      { seed: 20_26, numRuns: 15 },
    );
  });
});

describe("a migration of frames", () => {
  async function old(elements: readonly unknown[]): Promise<MemoryStorage> {
    const storage = new MemoryStorage({ now: () => 7 });
    for (const one of elements) await storage.commit([appendList(frames("o:r"), one)]);
    return storage;
  }

  test("[L2] judges a list by all of its elements, over more pages than one", async () => {
    const pieces = Array.from({ length: 2_500 }, (_, index): Old => ({ piece: String(index) }));
    const source = await old([...pieces, { lost: true }]);
    const { session, mapped, dropped } = await migrateFrames(source, newMemorySession(), map);

    expect({ mapped, dropped }).toEqual({ mapped: [], dropped: ["o:r"] });
    expect((await everythingIn(session)).survivors).toEqual([]);
  });

  test("[L2] tells the map where each element stands", async () => {
    const places: unknown[] = [];
    const source = await old([{ piece: "a" }, { piece: "b" }]);
    await migrateFrames(source, newMemorySession(), (one, place) => {
      places.push([one, place]);
      return map(one, place);
    });

    expect(places.slice(0, 2)).toEqual([
      [{ piece: "a" }, { key: "o:r", seq: 1 }],
      [{ piece: "b" }, { key: "o:r", seq: 2 }],
    ]);
  });

  const answers =
    (answer: unknown): FrameMap =>
    (one, { seq }) =>
      seq === 2 ? (answer as AssistantMessageFrame) : (one as AssistantMessageFrame);
  const throwing: FrameMap = (one, { seq }) => {
    if (seq === 2) throw new Error("what is this");
    return one as AssistantMessageFrame;
  };
  const forgetful = (): FrameMap => {
    let calls = 0;
    return (one) => (++calls > 3 ? undefined : (one as AssistantMessageFrame));
  };

  test.each<[string, FrameMap, RegExp]>([
    ["throws", throwing, /it threw/],
    ["answers what is no object", answers("ha"), /no frame/],
    ["answers a promise", answers(Promise.resolve(delta("a"))), /no frame/],
    ["answers a terminal event", answers({ type: "done", reason: "stop", message: {} }), /of type "done"/],
    [
      "answers a delta of no block",
      answers({ type: "text_delta", delta: "a" }),
      /a text_delta frame with a wrong contentIndex/,
    ],
    ["answers an element once only", forgetful(), /has none now/],
  ])("[L2] with a map that %s is refused, says where, and makes nothing", async (_what, broken, message) => {
    const source = await old([delta("a"), delta("b"), delta("c")]);
    const folder = newFolder();
    const migration = migrateFrames(source, storeNamed("JSONL").newIn(folder, ticking()), broken);
    await expect(migration).rejects.toMatchObject({
      constructor: FrameMapFailed,
      key: "o:r",
      message: expect.stringMatching(message),
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  test("[L2] names the element on which the map failed, and why", async () => {
    const source = await old([delta("a"), delta("b")]);
    const error = await migrateFrames(source, newMemorySession(), throwing).catch((reason: unknown) => reason);

    expect(error).toMatchObject({ seq: 2, cause: new Error("what is this") });
  });

  test("[L2] takes the answers as they are at the call", async () => {
    const source = await old([{ piece: "a" }]);
    const shared = { type: "text_delta" as const, contentIndex: 0, delta: "now" };
    const { session } = await migrateFrames(source, newMemorySession(), () => shared);
    shared.delta = "later";

    expect((await session.readList(frames("o:r")))[0]?.value).toMatchObject({ delta: "now" });
  });
});

test("[L2] an image of one's own may be migrated too", async () => {
  const image: SessionImage = {
    nextSeq: 5,
    pages: async function* () {
      yield [{ seq: 4, timestamp: 0, write: appendList(frames("o:r"), { piece: "a" }) }];
    },
  };
  const { session } = await migrateFrames({ withImage: (use) => use(image) }, newMemorySession(), map);

  expect(await session.readList(frames("o:r"))).toEqual([{ seq: 4, value: delta("a") }]);
});
