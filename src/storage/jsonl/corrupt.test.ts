/** Damaged session files, each with what must become of it (A9). */
import { afterEach, describe, expect, test } from "vitest";
import { list } from "../../addresses/address.ts";
import { corpus, type Expected, version1 } from "../../testing/jsonl/corpus.ts";
import { contentOf, words } from "../../testing/jsonl/sessions.ts";
import { UnreliableDisk } from "../../testing/jsonl/unreliable-disk.ts";
import { appendList } from "../contract/writes.ts";
import { JsonlStorage } from "./jsonl.ts";

const open = (files: UnreliableDisk, readOnly = false) =>
  JsonlStorage.open("s", { files, readOnly, durability: "process", now: () => 7 });

async function outcome(files: UnreliableDisk, readOnly: boolean): Promise<Expected> {
  try {
    const storage = await open(files, readOnly);
    const found = await storage.readList(words);
    await storage.close();
    return { words: found.length };
  } catch (error) {
    const { code, line } = error as { code: string; line?: number };
    return line === undefined ? { refused: code } : { refused: code, line };
  }
}

describe("files of the corpus", () => {
  afterEach(() => {
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test.each(corpus.map((one) => [one.name, one] as const))("[A9] %s", async (_name, { bytes, expected }) => {
    const files = new UnreliableDisk();
    files.place("s", bytes);
    if (bytes.length > 0) expect(await outcome(files, true)).toEqual(expected);
    expect(files.bytes("s")?.equals(bytes)).toBe(true);
    expect(await outcome(files, false)).toEqual(expected);
    if ("refused" in expected) {
      expect(files.bytes("s")?.equals(bytes)).toBe(true);
      expect(files.calls).toEqual([]);
    } else {
      // What was opened once can be written to and opened again.
      const storage = await open(files);
      await storage.commit([appendList(words, "more")]);
      await storage.compact();
      await storage.close();
      expect(await outcome(files, false)).toEqual({ words: expected.words + 1 });
    }
  });

  test("[A9] a file without lines is not read to its end", async () => {
    const files = new UnreliableDisk();
    files.place("s", Buffer.from("x"));
    files.read = async function* () {
      for (;;) yield Buffer.alloc(1_000, "x");
    };

    await expect(open(files)).rejects.toMatchObject({ code: "not_a_session" });
  });

  test("[A9] a file of version 1 reads as it always did", async () => {
    const files = new UnreliableDisk();
    files.place("s", version1);
    const storage = await open(files);
    expect(storage).toMatchObject({ sessionId: "corpus", createdAt: 5 });
    expect(await contentOf(storage)).toMatchObject({
      entries: [
        { id: "a", parentId: null, seq: 2, timestamp: 7 },
        { id: "b", parentId: "a", seq: 5, timestamp: 8 },
      ],
      usage: [{ id: "u", seq: 3, adjustment: false }],
      stats: { messageCount: 0, usage: { input: 1, cost: { total: 0.1 } } },
      values: [[], [], [{ seq: 4, value: 1 }]],
      lists: [[{ seq: 1, value: "one" }], [{ seq: 7 }], []],
    });
    const [element] = await storage.readList<Record<string, unknown>>(list("test.other"));
    expect(Object.entries(element?.value ?? {})).toEqual([
      ["half", "\ud83d"],
      ["__proto__", { polluted: true }],
    ]);
    expect((await storage.commit([appendList(words, "x")])).firstSeq).toBe(13);
    await storage.close();
  });
});
