/** Forks, rewrites and migrations are made whole or not at all, wherever they are cut off (L1, L2). */
import { cpSync, existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { list, value } from "../addresses/address.ts";
import { branchTip, laneConfig, laneState, pendingAssistantFrames } from "../addresses/builtins.ts";
import { SessionExists } from "../errors.ts";
import type { ImageSource, NewSession, SessionImage, Survivor } from "../storage/contract/image.ts";
import { appendList, setValue, type Write } from "../storage/contract/writes.ts";
import { newJsonlSession } from "../storage/jsonl/import.ts";
import { JsonlStorage } from "../storage/jsonl/jsonl.ts";
import { newMemorySession } from "../storage/memory/import.ts";
import { MemoryStorage } from "../storage/memory/memory.ts";
import { newSqliteSession } from "../storage/sqlite/import.ts";
import { SqliteStorage } from "../storage/sqlite/sqlite.ts";
import { deferred, note } from "../testing/jsonl/sessions.ts";
import { UnreliableDisk } from "../testing/jsonl/unreliable-disk.ts";
import { configuration } from "../testing/maintenance/generated-sessions.ts";
import { commitAll, everythingIn, foldersOfTests } from "../testing/maintenance/new-sessions.ts";
import { forkSession } from "./fork.ts";
import { migrateFrames } from "./migrate-frames.ts";
import { rewriteSession } from "./rewrite.ts";

const { newFolder } = foldersOfTests();

const idle = { currentOperationId: null, lastOperationId: null, inbox: [] };

/** A little of everything that the three treat in their own way, and enough content to reach the disk more than once. */
const transactions = (contentLength: number): Write[][] => [
  [note("a"), note("b", "a"), setValue(branchTip("main"), "b"), setValue(laneConfig("main"), configuration)],
  [setValue(laneState("main"), idle)],
  [appendList(pendingAssistantFrames("o", "r"), { type: "text_delta", contentIndex: 0, delta: "old" })],
  ...Array.from({ length: 20 }, (_, index) => [
    appendList(list<string>("app.list"), `${index}`.padEnd(contentLength, "x")),
    setValue(value<number>("app.value"), index),
  ]),
];

type Maintain = (source: ImageSource, target: NewSession<unknown>) => Promise<unknown>;

const works: readonly (readonly [string, Maintain])[] = [
  ["a rewrite", rewriteSession],
  ["a fork", forkSession],
  ["a migration", (source, target) => migrateFrames(source, target, () => undefined)],
];

/** What the work makes when nothing goes wrong. */
async function finished(source: ImageSource, work: Maintain): Promise<unknown> {
  let made: unknown;
  await work(source, async (image) => {
    made = await everythingIn(await newMemorySession()(image));
  });
  return made;
}

describe.each(works)("%s into a file of JSON lines", (_name, work) => {
  /** Runs the work on the disk until its `stopAt`-th call; the process dies before that call has an effect. */
  async function diesAt(stopAt: number): Promise<{ disk: UnreliableDisk; original: Buffer; over: boolean }> {
    const disk = await diskWithSource();
    const original = disk.bytes("source") as Buffer;
    const source = await JsonlStorage.open("source", { files: disk, readOnly: true });
    const [died, parked] = [deferred<boolean>(), deferred<undefined>()];
    let calls = 0;
    disk.intercept = () => {
      if (++calls < stopAt) return undefined;
      died.resolve(false);
      return parked.promise;
    };
    const running = work(source, newJsonlSession("target", { files: disk }));
    const over = await Promise.race([running.then(() => true), died.promise]);
    return { disk, original, over };
  }

  async function diskWithSource(): Promise<UnreliableDisk> {
    const disk = new UnreliableDisk();
    const source = await JsonlStorage.open("source", { files: disk, now: () => 7 });
    await commitAll(source, transactions(60_000));
    await source.close();
    return disk;
  }

  /** What is found by whoever comes next, who then tries again. */
  async function expectAllOrNothing(disk: UnreliableDisk, original: Buffer): Promise<"all" | "nothing"> {
    expect(disk.bytes("source")?.equals(original)).toBe(true);
    const source = await JsonlStorage.open("source", { files: disk, readOnly: true });
    const expected = await finished(source, work);
    const found = disk.bytes("target") === undefined ? "nothing" : "all";
    const again = work(source, newJsonlSession("target", { files: disk }));
    if (found === "all") await expect(again).rejects.toThrow(SessionExists);
    else await again;
    const target = await JsonlStorage.open("target", { files: disk });
    expect(await everythingIn(target)).toEqual(expected);
    await target.close();
    expect(disk.names().sort()).toEqual(["source", "target"]);
    return found;
  }

  test("[L1][L2] leaves all of the session or none, wherever the process or the power is lost", async () => {
    const found: string[] = [];
    for (let stopAt = 1; ; stopAt++) {
      const { disk, original, over } = await diesAt(stopAt);
      found.push(await expectAllOrNothing(disk.afterProcessDeath(), original));
      for (const part of [0, 0.5, 0.999]) {
        const left = disk.afterPowerCut((count) => Math.floor(count * part));
        const after = await expectAllOrNothing(left, original);
        if (over) expect(after).toBe("all");
      }
      if (over) break;
    }
    // Something was cut off, and something was whole, before the end.

    expect(found.length).toBeGreaterThan(6);
    expect(new Set(found.slice(0, -1))).toEqual(new Set(["nothing", "all"]));
  });
});

describe.each(works)("%s into an SQLite database", (_name, work) => {
  /** One write a page, each told before it is asked for, and the end as well. */
  const onePerPage = (image: SessionImage, tell: (isEnd: boolean) => void): SessionImage => ({
    nextSeq: image.nextSeq,
    async *pages(): AsyncGenerator<readonly Survivor[]> {
      for await (const page of image.pages()) {
        for (const survivor of page) {
          tell(false);
          yield [survivor];
        }
      }
      tell(true);
    },
  });

  /** The folder as a crash would leave it: before the first write, when SQLite has written some, and before the commit. */
  function crashPoints(folder: string): { left: Map<string, string>; look(isEnd: boolean): void } {
    const left = new Map<string, string>();
    const look = (isEnd: boolean) => {
      const isSpilled = statSync(join(folder, "session.unfinished")).size > 0;
      const moment = isEnd ? "before the commit" : isSpilled ? "in the middle" : "at the start";
      if (left.has(moment)) return;
      const copy = newFolder();
      cpSync(folder, copy, { recursive: true });
      left.set(moment, copy);
    };
    return { left, look };
  }

  test("[L1][L2] leaves none of the session before its commit, and all of it after", async () => {
    const source = new MemoryStorage({ now: () => 7 });
    // More than SQLite keeps in its cache, so that it writes before the commit.
    await commitAll(source, transactions(1_200_000));
    const expected = await finished(source, work);
    const folder = newFolder();
    const { left, look } = crashPoints(folder);
    await work(source, (image) => newSqliteSession(join(folder, "session"))(onePerPage(image, look)));
    expect(await contentIn(folder)).toEqual(expected);
    expect([...left.keys()]).toEqual(["at the start", "in the middle", "before the commit"]);
    for (const copy of left.values()) expect(existsSync(join(copy, "session"))).toBe(false);
    const again = left.get("in the middle") as string;
    await work(source, newSqliteSession(join(again, "session")));
    expect(await contentIn(again)).toEqual(expected);
    expect(readdirSync(again)).toEqual(["session"]);
  });

  async function contentIn(folder: string): Promise<unknown> {
    const storage = await SqliteStorage.open(join(folder, "session"), { durability: "process" });
    try {
      return await everythingIn(storage);
    } finally {
      await storage.close();
    }
  }
});
