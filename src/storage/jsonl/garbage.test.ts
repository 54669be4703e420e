/** A session file that compacts by itself (A10). */
import { beforeEach, describe, expect, test } from "vitest";
import { list } from "../../addresses/address.ts";
import { pendingAssistantFrames } from "../../addresses/builtins.ts";
import { StorageFailed } from "../../errors.ts";
import { contentOf, deferred, linesOf, note, words } from "../../testing/jsonl/sessions.ts";
import { diskError, UnreliableDisk } from "../../testing/jsonl/unreliable-disk.ts";
import { appendList, deleteList, type Write } from "../contract/writes.ts";
import { JsonlStorage } from "./jsonl.ts";

const frames = (response: string) =>
  list<string>("pi.pending.assistant_frame", pendingAssistantFrames("o", response).key);
const answer = "a".repeat(50);

describe("a session file that compacts by itself", () => {
  let files: UnreliableDisk;
  const open = (compactAfter = Number.POSITIVE_INFINITY) =>
    JsonlStorage.open("s", { files, compactAfter, now: () => 7 });
  const lines = () => linesOf(files.bytes("s")).length;

  /** Ten frames of one response. */
  const stream = (storage: JsonlStorage, response: string) =>
    Promise.all(Array.from({ length: 10 }, () => storage.commit([appendList(frames(response), answer)])));
  const settle = (storage: JsonlStorage, response: string): Promise<unknown> =>
    storage.commit([note(response), deleteList(frames(response))] satisfies Write[]);

  /** A session of one settled answer: more than 1,000 bytes, one entry of them is left. */
  async function withGarbage(): Promise<void> {
    const storage = await open(Number.POSITIVE_INFINITY);
    await stream(storage, "a");
    await settle(storage, "a");
    await storage.close();
  }

  beforeEach(() => {
    files = new UnreliableDisk();
  });

  test("[A10] between two operations, when more than half of its writes are undone", async () => {
    const storage = await open(1_000);
    await stream(storage, "a");
    expect(lines()).toBe(11);
    await settle(storage, "a");
    // A read takes its turn behind the rewrite.
    const content = await contentOf(storage);
    expect(lines()).toBe(2);
    expect((await storage.commit([appendList(words, "x")])).firstSeq).toBe(13);
    await storage.kill();
    const reopened = await open();
    expect(await contentOf(reopened)).toMatchObject({ entries: (content as { entries: unknown[] }).entries });
    await reopened.close();
  });

  test("[A10] not while frames of another response are there, and once they are settled", async () => {
    const storage = await open(1_000);
    await storage.commit([appendList(frames("b"), "begun")]);
    await stream(storage, "a");
    await settle(storage, "a");
    await contentOf(storage);
    expect(files.count("rename")).toBe(1);
    await settle(storage, "b");
    await contentOf(storage);
    expect(files.count("rename")).toBe(2);
    expect(lines()).toBe(3);
    await storage.close();
  });

  test("[A10] at open, whatever a process that was killed has left", async () => {
    await withGarbage();
    const storage = await open(1_000);
    expect(lines()).toBe(2);
    expect(await storage.scanEntries({})).toHaveLength(1);
    await storage.close();
  });

  test("[A10] at close, also amid a response that is left behind, whose frames stay", async () => {
    const storage = await open(1_000);
    await storage.commit([appendList(frames("b"), "begun")]);
    await stream(storage, "a");
    await settle(storage, "a");
    await storage.close();
    expect(lines()).toBe(3);
    const reopened = await open();
    expect(await reopened.readList(frames("b"))).toEqual([{ seq: 1, value: "begun" }]);
    await reopened.close();
  });

  test("[A10] not before it has grown to twice of what the last compaction left, over a reopen too", async () => {
    let storage = await open(1);
    await storage.commit([note("big".padEnd(5_000, "x"))]);
    await storage.compact();
    const renames = files.count("rename");
    await stream(storage, "a");
    await settle(storage, "a");
    await storage.close();
    storage = await open(1);
    expect(files.count("rename")).toBe(renames);
    for (const response of ["b", "c", "d", "e", "f"]) {
      await stream(storage, response);
      await settle(storage, response);
    }
    await storage.close();
    expect(files.count("rename")).toBe(renames + 1);
  });

  test("[A10] not when all that it holds is alive, and not with `Infinity`", async () => {
    const storage = await open(1);
    for (let index = 0; index < 20; index++) await storage.commit([note(`entry ${index}`)]);
    await storage.close();
    expect(files.count("rename")).toBe(1);
    files = new UnreliableDisk();
    await withGarbage();
    await (await open(Number.POSITIVE_INFINITY)).close();
    expect(files.count("rename")).toBe(1);
  });

  test.each(["create", "append", "sync"] as const)(
    "[A13] goes on in the old file when %s of the new one fails, and does not try again",
    async (operation) => {
      const storage = await open(1_000);
      await stream(storage, "a");
      files.intercept = ({ operation: called, file }) => {
        if (called === operation && file === "s.unfinished") throw diskError("ENOSPC");
        return undefined;
      };
      await storage.kill();
      const reopened = await open(1_000);
      await settle(reopened, "a");
      await contentOf(reopened);
      const tries = files.count("create");
      await reopened.commit([appendList(words, "x")]);
      await reopened.close();
      expect(files.count("create")).toBe(tries);
      expect(files.names()).toEqual(["s"]);
      files.intercept = () => undefined;
      const later = await open(1_000);
      expect(await later.readList(words)).toMatchObject([{ value: "x" }]);
      expect(lines()).toBe(3);
      await later.close();
    },
  );

  test("[A13] a new file that cannot get the name ends the session", async () => {
    const storage = await open(1_000);
    await stream(storage, "a");
    files.intercept = ({ operation }) => {
      if (operation === "rename") throw diskError("EIO");
      return undefined;
    };
    await settle(storage, "a");
    await contentOf(storage);
    await expect(storage.commit([note("n")])).rejects.toThrow(StorageFailed);
    await storage.close();
  });

  test.each([1, 2, 3, 4, 5, 6])("[A10] death at its disk call %i leaves the old or the new file", async (at) => {
    await withGarbage();
    const before = await open(Number.POSITIVE_INFINITY);
    const content = await contentOf(before);
    await before.close();
    const dead = deferred();
    let calls = 0;
    files.intercept = ({ operation, file }) => {
      if (calls === 0 && !(operation === "create" && file === "s.unfinished")) return undefined;
      if (++calls < at) return undefined;
      dead.resolve();
      return new Promise<number>(() => {});
    };
    void open(1_000);
    await dead.promise;
    files = files.afterProcessDeath();
    const reopened = await open(Number.POSITIVE_INFINITY);
    expect(await contentOf(reopened)).toEqual(content);
    expect((await reopened.commit([appendList(words, "x")])).firstSeq).toBe(13);
    expect(files.names()).toEqual(["s"]);
    await reopened.close();
  });

  test.each([0, -1, Number.NaN, "1"])("`compactAfter: %s` is a TypeError", async (compactAfter) => {
    await expect(open(compactAfter as number)).rejects.toThrow(TypeError);
    expect(files.names()).toEqual([]);
  });
});
