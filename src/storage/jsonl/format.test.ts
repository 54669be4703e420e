/** The format of a session file (A9). */
import { beforeEach, describe, expect, test } from "vitest";
import { value } from "../../addresses/address.ts";
import { contentOf, count, linesOf, note, usage, words } from "../../testing/jsonl/sessions.ts";
import { UnreliableDisk } from "../../testing/jsonl/unreliable-disk.ts";
import { appendList, deleteList, setValue } from "../contract/writes.ts";
import { MemoryStorage } from "../memory/memory.ts";
import { JsonlStorage } from "./jsonl.ts";

describe("the session file", () => {
  let files: UnreliableDisk;
  const open = (more = {}) => JsonlStorage.open("s", { files, now: () => 7, durability: "process", ...more });
  const lines = () => linesOf(files.bytes("s"));

  beforeEach(() => {
    files = new UnreliableDisk();
  });

  test("[A9] begins with a header line", async () => {
    await (await open({ sessionId: "id", createdAt: 5 })).close();

    expect(lines().map((line) => JSON.parse(line))).toEqual([
      { format: "assistant-durability/session", storageVersion: 1, sessionId: "id", createdAt: 5, nextSeq: 1 },
    ]);
  });

  test("[A9] has one line per transaction: an object for one write, else an array", async () => {
    const storage = await open();
    await storage.commit([appendList(words, "one")]);
    await storage.commit([note("a"), setValue(count, 2)]);
    await storage.commit([]);
    const [, single, several, ...more] = lines().map((line) => JSON.parse(line));
    expect(single).toEqual({ seq: 1, kind: "list", op: "append", namespace: "test.words", key: "", value: "one" });
    expect(several).toMatchObject([
      { seq: 2, kind: "entry", timestamp: 7, entry: { id: "a" } },
      { seq: 3, value: 2 },
    ]);
    expect(more).toEqual([]);
    await storage.close();
  });

  test("[A9] ends lines with the line feed byte alone", async () => {
    const text = "a\u2028b\u2029c\u0085d\u000be\rf\n\u0000\ud83d";
    const first = await open();
    await first.commit([setValue(value("test.text"), text)]);
    await first.close();
    expect(lines()).toHaveLength(2);
    expect(files.bytes("s")?.includes("\u2028")).toBe(true);
    const second = await open();
    expect((await second.getValue(value("test.text")))?.value).toBe(text);
    await second.close();
  });

  test("[A9] a torn last line is dropped whole, wherever it is torn", async () => {
    const storage = await open();
    await storage.commit([note("a"), appendList(words, "\u{1f600}")]);
    const before = await contentOf(storage);
    const whole = files.bytes("s")?.length ?? 0;
    await storage.commit([note("b", "a"), setValue(count, 1), appendList(words, "\u{1f600}")]);
    await storage.close();
    const full = files.bytes("s") ?? Buffer.alloc(0);
    expect(full.length).toBeGreaterThan(whole + 100);
    for (let size = whole; size < full.length; size++) {
      files = new UnreliableDisk();
      files.place("s", full.subarray(0, size));
      const reopened = await open();
      expect(await contentOf(reopened)).toEqual(before);
      expect((await reopened.commit([appendList(words, "x")])).firstSeq).toBe(3);
      await reopened.close();
      expect(lines()).toHaveLength(3);
    }
  });

  test("[A9] a last line that parses but lacks its line feed is torn", async () => {
    const first = await open();
    await first.commit([appendList(words, "kept")]);
    await first.commit([appendList(words, "torn")]);
    await first.close();
    const bytes = files.bytes("s") ?? Buffer.alloc(0);
    files = new UnreliableDisk();
    files.place("s", bytes.subarray(0, -1));
    const second = await open();
    expect(await second.readList(words)).toEqual([{ seq: 1, value: "kept" }]);
    await second.close();
  });

  test("[A9] opened for reading, a torn last line is left out and left alone, and commits are refused", async () => {
    const first = await open();
    await first.commit([appendList(words, "kept")]);
    await first.close();
    const torn = Buffer.concat([files.bytes("s") ?? Buffer.alloc(0), Buffer.from('{"seq":2,')]);
    files.place("s", torn);
    files.calls.length = 0;
    const reader = await open({ readOnly: true });
    expect(await reader.readList(words)).toHaveLength(1);
    await expect(reader.commit([appendList(words, "x")])).rejects.toMatchObject({ reason: "read_only" });
    await expect(reader.compact()).rejects.toMatchObject({ reason: "read_only" });
    await reader.close();
    expect(files.calls).toEqual([]);
    expect(files.bytes("s")).toEqual(torn);
  });

  test("an empty file is a session that holds nothing yet; opened for reading it is none", async () => {
    files.place("s", Buffer.alloc(0));
    await expect(open({ readOnly: true })).rejects.toMatchObject({ code: "not_a_session" });
    await (await open()).close();
    expect(lines()).toHaveLength(1);
  });

  test("keeps its id and its time of making over reopening and compaction", async () => {
    const first = await open({ sessionId: "id", createdAt: 5 });
    await first.commit([appendList(words, "x")]);
    await first.compact();
    await first.close();
    const second = await open({ sessionId: "other", createdAt: 6 });
    expect([second.sessionId, second.createdAt]).toEqual(["id", 5]);
    await second.close();
  });

  test("[A8] numbers, results and content are those of the memory store, before and after a reopen", async () => {
    let tick = 0;
    const memory = new MemoryStorage({ now: () => tick });
    let storage = await open({ now: () => tick });
    const transactions = [
      [note("a"), usage("u"), appendList(words, "x")],
      [],
      [deleteList(words), appendList(words, "y"), setValue(count, 1)],
      [note("b", "a"), usage("v")],
      [note("a")],
      [note("c", "b")],
    ];
    for (const writes of transactions) {
      tick++;
      const [expected] = await Promise.allSettled([memory.commit(writes)]);
      const [seen] = await Promise.allSettled([storage.commit(writes)]);
      expect(seen).toEqual(expected);
    }
    expect(await contentOf(storage)).toEqual(await contentOf(memory));
    await storage.close();
    storage = await open();
    expect(await contentOf(storage)).toEqual(await contentOf(memory));
    await storage.close();
  });

  test("[A4] what is on its way counts as there: ids are taken, parents exist", async () => {
    const storage = await open();
    const settled = Promise.allSettled([
      storage.commit([note("a")]),
      storage.commit([note("a")]),
      storage.commit([note("b", "a")]),
      storage.commit([usage("b")]),
      storage.commit([note("c", "none")]),
      storage.commit([appendList(words, "x")]),
    ]);
    expect((await settled).map((one) => (one.status === "fulfilled" ? one.value.seqs : one.reason.reason))).toEqual([
      [1],
      "duplicate_id",
      [2],
      "duplicate_id",
      "missing_parent",
      [3],
    ]);
    await storage.close();
  });

  test("[A4] content is what it was at the call", async () => {
    const storage = await open();
    const box = { n: 1 };
    const write = deleteList(words);
    const landed = Promise.all([
      storage.commit([appendList(words, "kept")]),
      storage.commit([setValue(value<{ n: number }>("test.box"), box), write]),
    ]);
    box.n = 2;
    write.namespace = "test.other";
    await landed;
    expect((await storage.getValue(value("test.box")))?.value).toEqual({ n: 1 });
    expect(await storage.readList(words)).toEqual([]);
    await storage.close();
  });
});
