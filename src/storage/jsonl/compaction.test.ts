/** Compaction of a session file (A10). */
import { beforeEach, describe, expect, test } from "vitest";
import { list } from "../../addresses/address.ts";
import { contentOf, count, deferred, linesOf, note, usage, words } from "../../testing/jsonl/sessions.ts";
import { describeCall, UnreliableDisk } from "../../testing/jsonl/unreliable-disk.ts";
import { appendList, deleteList, deleteValue, setValue } from "../contract/writes.ts";
import { JsonlStorage } from "./jsonl.ts";

const secret = list<string>("test.other");

describe("compaction", () => {
  let files: UnreliableDisk;
  let storage: JsonlStorage;
  const open = () => JsonlStorage.open("s", { files, durability: "process", now: () => 7 });

  beforeEach(async () => {
    files = new UnreliableDisk();
    storage = await open();
    await storage.commit([note("a"), usage("u"), appendList(words, "kept"), appendList(secret, "secret")]);
    await storage.commit([setValue(count, 1), appendList(words, "kept too")]);
    await storage.commit([note("b", "a"), deleteList(secret), setValue(count, 2), usage("v"), deleteValue(count)]);
    await storage.close();
    storage = await open();
    files.calls.length = 0;
  });

  test("[A10] keeps content and every surviving number, before and after a reopen", async () => {
    const before = await contentOf(storage);
    await storage.compact();
    expect(await contentOf(storage)).toEqual(before);
    await storage.close();
    const reopened = await open();
    expect(await contentOf(reopened)).toEqual(before);
    await reopened.close();
  });

  test("[A10] leaves a header and the survivors, one line each, and no byte of a deleted list", async () => {
    expect(files.bytes("s")?.includes("secret")).toBe(true);
    await storage.compact();
    expect(linesOf(files.bytes("s")).map((line) => JSON.parse(line).seq)).toEqual([undefined, 1, 2, 3, 6, 7, 10]);
    expect(files.bytes("s")?.includes("secret")).toBe(false);
    await storage.close();
  });

  test("[A10] never reuses a number, even when the last writes did not survive", async () => {
    await storage.compact();
    await storage.close();
    storage = await open();
    await storage.compact();
    expect((await storage.commit([appendList(words, "x")])).firstSeq).toBe(12);
    await storage.close();
    storage = await open();
    expect((await storage.commit([appendList(words, "y")])).firstSeq).toBe(13);
    await storage.close();
  });

  test("[A10] syncs the new file, puts it in place, then syncs the folder", async () => {
    await storage.compact();
    expect(files.calls.map(describeCall)).toEqual([
      "create s.unfinished",
      "append s.unfinished",
      "sync s.unfinished",
      "rename s",
      "syncFolder s",
      "close s",
    ]);
    await storage.close();
  });

  test("[A10] stands in the order of the commits: earlier ones are in it, later ones behind it", async () => {
    const outcomes = await Promise.all([
      storage.commit([appendList(words, "before")]),
      storage.compact(),
      storage.commit([appendList(words, "after")]),
      storage.commit([appendList(words, "after too")]),
    ]);
    expect(outcomes.map((outcome) => outcome?.firstSeq)).toEqual([12, undefined, 13, 14]);
    expect(files.calls.map(describeCall).filter((call) => /append|rename/.test(call))).toEqual([
      "append s",
      "append s.unfinished",
      "rename s",
      // The file that was made is the session file from now on.
      "append s.unfinished",
    ]);
    await storage.close();
    const reopened = await open();
    expect((await reopened.readList(words)).map(({ seq }) => seq)).toEqual([3, 6, 12, 13, 14]);
    await reopened.close();
  });

  test.each([1, 2, 3, 4, 5, 6])(
    "[A10] process death at its disk call %i leaves the old or the new file",
    async (at) => {
      const before = await contentOf(storage);
      const dead = deferred();
      const parked = deferred<number>();
      let calls = 0;
      files.intercept = () => {
        if (++calls < at) return undefined;
        dead.resolve();
        return parked.promise;
      };
      void storage.compact();
      await dead.promise;
      files = files.afterProcessDeath();
      const reopened = await open();
      expect(await contentOf(reopened)).toEqual(before);
      expect((await reopened.commit([appendList(words, "x")])).firstSeq).toBe(12);
      expect(files.names()).toEqual(["s"]);
      await reopened.close();
    },
  );

  test("[K1] kill in the middle of a compaction gives nothing more to the disk", async () => {
    const parked = deferred<undefined>();
    files.intercept = ({ operation }) => (operation === "append" ? parked.promise : undefined);
    void storage.compact();
    while (files.count("append") === 0) await new Promise((turn) => setImmediate(turn));
    const killed = storage.kill();
    parked.resolve(undefined);
    await killed;
    expect(files.calls.map(describeCall)).toEqual([
      "create s.unfinished",
      "append s.unfinished",
      "close s",
      "close s.unfinished",
    ]);
    const reopened = await open();
    expect(files.names()).toEqual(["s"]);
    await reopened.close();
  });

  test("writes a large session in several pieces", async () => {
    const big = "x".repeat(300_000);
    await Promise.all(Array.from({ length: 12 }, () => storage.commit([appendList(words, big)])));
    files.calls.length = 0;
    await storage.compact();
    expect(files.count("append")).toBeGreaterThan(2);
    const before = await contentOf(storage);
    await storage.close();
    const reopened = await open();
    expect(await contentOf(reopened)).toEqual(before);
    await reopened.close();
  });
});
