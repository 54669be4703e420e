/** An SQLite session is held from before its open resolves until it is closed, whatever else the process does (A13). */
import { copyFile, readFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { list } from "../../addresses/address.ts";
import { NotASession, SessionLocked } from "../../errors.ts";
import { forkSession } from "../../maintenance/fork.ts";
import { Children, nextLine, restOf } from "../../testing/sqlite/children.ts";
import { sessionFolder } from "../../testing/sqlite/sessions.ts";
import { appendList } from "../contract/writes.ts";
import { newJsonlSession } from "../jsonl/import.ts";
import { JsonlStorage } from "../jsonl/jsonl.ts";
import { SqliteStorage } from "./sqlite.ts";

const words = list<number>("test.words");

let session: ReturnType<typeof sessionFolder>;
let children: Children;

beforeEach(() => {
  session = sessionFolder();
  children = new Children();
});

afterEach(async () => {
  await children.end();
  session.remove();
});

const wordsOf = async (storage: SqliteStorage) =>
  (await storage.readList(words, { limit: 10_000 })).map(({ value }) => value);

describe("the one writer of an SQLite session", () => {
  type Act = (storage: SqliteStorage) => Promise<unknown>;

  test.each<[string, Act]>([
    ["opens it as JSONL", () => expect(JsonlStorage.open(session.path)).rejects.toThrow(SessionLocked)],
    [
      "reads it as JSONL",
      () => expect(JsonlStorage.open(session.path, { readOnly: true })).rejects.toThrow(NotASession),
    ],
    [
      "forks a session into it",
      (storage) => expect(forkSession(storage, newJsonlSession(session.path))).rejects.toThrow(SessionLocked),
    ],
    ["reads the file, as a backup does", () => readFile(session.path)],
    ["copies the file, as a backup does", () => copyFile(session.path, `${session.path}.copy`)],
  ])("[A13] another process is refused after this one %s", async (_what, act) => {
    const storage = await SqliteStorage.open(session.path);
    await storage.commit([appendList(words, 0)]);
    await act(storage);
    const { lines } = children.start(["open", session.path]);
    expect(await nextLine(lines)).toBe("session_locked");
    await storage.commit([appendList(words, 1)]);
    await storage.close();
    const again = await SqliteStorage.open(session.path);
    expect(await wordsOf(again)).toEqual([0, 1]);
    await again.close();
  });

  test("[A13] a session that its process forgot is locked after the collector ran", async () => {
    const { lines } = children.start(["forget", session.path], { node: ["--expose-gc"] });
    expect(await nextLine(lines)).toBe("opened");
    await expect(SqliteStorage.open(session.path)).rejects.toThrow(SessionLocked);
  });

  test("[A13] processes that contend for a session never have it at the same time, and lose nothing", async () => {
    const rounds = 12;
    const contenders = Array.from({ length: 3 }, () =>
      children.start(["contend", session.path, String(rounds)], { node: ["--expose-gc"] }),
    );
    for (const { lines } of contenders) expect(await restOf(lines)).toEqual(["done"]);
    const storage = await SqliteStorage.open(session.path);
    // Each holder commits once after each of five disturbances.
    expect(await wordsOf(storage)).toHaveLength(contenders.length * rounds * 5);
    await storage.close();
  });
});
