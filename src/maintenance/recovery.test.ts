/**
 * An interrupted response is recovered in a session that was rewritten or migrated; a fork has none (L1, L2, section
 * E).
 */
import type { AssistantMessage, AssistantMessageFrame } from "@earendil-works/pi-ai";
import { describe, expect, test } from "vitest";
import { operationState, pendingAssistantFrames } from "../addresses/builtins.ts";
import { pendingResponse } from "../durable/state.ts";
import { interruptionWarning } from "../harness/drive/recovery.ts";
import { openHarness } from "../harness/harness.ts";
import type { Lane } from "../harness/lane.ts";
import { Session } from "../session/session.ts";
import type { ImageSource, NewSession, SessionImage, Survivor } from "../storage/contract/image.ts";
import type { Storage } from "../storage/contract/storage.ts";
import { newMemorySession } from "../storage/memory/import.ts";
import type { MemoryStorage } from "../storage/memory/memory.ts";
import { activate, ready } from "../testing/harness/deferred.ts";
import {
  assistant,
  beginning,
  FakeProvider,
  ManualClock,
  openWorld,
  types,
  type World,
} from "../testing/harness/fakes.ts";
import { foldersOfTests, ticking } from "../testing/maintenance/new-sessions.ts";
import { type Source, stores } from "../testing/storage/stores.ts";
import { forkSession } from "./fork.ts";
import { migrateFrames } from "./migrate-frames.ts";
import { rewriteSession } from "./rewrite.ts";

const { newFolder } = foldersOfTests();

/** A process that is lost in the middle of a response; its store is what is left. */
async function interrupted(): Promise<World> {
  const world = await openWorld();
  await world.lane.accept({ prompt: "Hi" });
  await activate(world);
  await world.provider.last.push(...beginning("half"));
  return world;
}

/** The same session, written by a version whose frames were wrapped in something else. */
function aged(source: ImageSource): Promise<MemoryStorage> {
  return rewriteSession(source, (image) => newMemorySession()(withOldFrames(image)));
}

const withOldFrames = (image: SessionImage): SessionImage => ({
  nextSeq: image.nextSeq,
  async *pages() {
    for await (const page of image.pages()) yield page.map(wrapped);
  },
});

function wrapped(survivor: Survivor): Survivor {
  const { write } = survivor;
  if (write.kind !== "list") return survivor;
  return { ...survivor, write: { ...write, value: { v0: write.value } } };
}

const unwrap = (element: unknown) => (element as { v0: AssistantMessageFrame }).v0;

async function laneOf(storage: Storage): Promise<{ lane: Lane; provider: FakeProvider; events: { type: string }[] }> {
  const provider = new FakeProvider();
  const events: { type: string }[] = [];
  const harness = await openHarness({
    session: new Session(storage, { clock: new ManualClock() }),
    models: provider,
    model: { provider: "fake", modelId: "small" },
    onEvent: (event) => void events.push(event),
  });
  return { lane: await harness.lane("main"), provider, events };
}

/** What a process that opens the session shows before it does anything, and what it settles. */
async function recovered(storage: Storage): Promise<{ shown: unknown; settled: AssistantMessage; requests: number }> {
  const { lane, provider } = await laneOf(storage);
  const shown = (await lane.snapshot()).operation?.streamingMessage?.content;
  expect(await lane.activate()).toMatchObject({ result: { status: "failed" } });
  const entry = (await lane.snapshot()).transcript.at(-1);
  if (entry?.type !== "message") throw new Error("The last entry is no message");
  return { shown, settled: entry.message as AssistantMessage, requests: provider.requests.length };
}

describe.each(stores)("an interrupted response in a new $name session", (kind) => {
  const target = (): NewSession<Source> => kind.newIn(newFolder(), ticking());
  const half = [{ type: "text", text: "half" }];

  test("[L2][E3] after a rewrite is recovered with its partial", async () => {
    const copy = await rewriteSession((await interrupted()).storage, target());
    const { shown, settled } = await recovered(copy);
    expect(shown).toEqual(half);
    expect(settled).toMatchObject({ content: half, stopReason: "error", errorMessage: interruptionWarning });
    await copy.close();
  });

  test("[L2][E3] after a migration that maps its frames is recovered with the mapped partial", async () => {
    const { session, mapped } = await migrateFrames(await aged((await interrupted()).storage), target(), unwrap);
    expect(mapped).toHaveLength(1);
    const { shown, settled } = await recovered(session);
    expect(shown).toEqual(half);
    expect(settled).toMatchObject({ content: half, stopReason: "error", errorMessage: interruptionWarning });
    await session.close();
  });

  test("[L2][E4][N7] after a migration that drops its frames is recovered empty, and is no less interrupted", async () => {
    const source = await aged((await interrupted()).storage);
    const { session, dropped } = await migrateFrames(source, target(), () => undefined);
    expect(dropped).toHaveLength(1);
    const states = await session.scanValues(operationState(""));
    expect(states).toEqual(await source.scanValues(operationState("")));
    const [state] = states;
    expect(state?.value.at).toBe("assistant.effect_pending");
    const { shown, settled, requests } = await recovered(session);
    expect(shown).toBeUndefined();
    const { timestamp } = settled;
    expect(settled).toEqual(assistant("", { stopReason: "error", errorMessage: interruptionWarning, timestamp }));
    expect(requests).toBe(0);
    await session.close();
  });
});

describe.each(stores)("a fork in a new $name session", (kind) => {
  test("[L1][N12] of a lane in the middle of a response is idle and works, and so does the source", async () => {
    const world = await interrupted();
    const target = kind.newIn(newFolder(), ticking());
    const fork = await forkSession(world.storage, target, {
      scope: "branch",
      branch: "main",
      openOperations: "leaveBehind",
    });
    const [stored] = await world.storage.scanValues(operationState(""));
    const response = pendingResponse(stored?.value as NonNullable<typeof stored>["value"]);
    const frames = pendingAssistantFrames(stored?.address.key as string, response?.responseEntryId as string);
    expect(await world.storage.readList(frames)).not.toEqual([]);
    expect(await fork.readList(frames)).toEqual([]);

    const { lane, provider, events } = await laneOf(fork);
    expect((await lane.snapshot()).operation).toBeNull();
    await lane.accept({ prompt: "And now?" });
    const requested = provider.nextRequest();
    const outcome = lane.activate();
    await (await requested).push(...ready("Well"));
    expect(await outcome).toMatchObject({ result: { status: "completed" } });
    expect(events.map(({ type }) => type)).toContain("entry_added");
    expect((await lane.snapshot()).transcript).toHaveLength(3);

    await world.provider.last.push(...ready("half done").slice(-1));
    expect(types(world.events)).toContain("entry_added");
    expect((await world.lane.snapshot()).transcript).toHaveLength(2);
    await fork.close();
  });
});
