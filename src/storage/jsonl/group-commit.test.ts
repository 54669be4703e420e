/** Commits that come while the disk is busy (C3). */
import { beforeEach, describe, expect, test } from "vitest";
import { contentOf, deferred, note, words } from "../../testing/jsonl/sessions.ts";
import { UnreliableDisk } from "../../testing/jsonl/unreliable-disk.ts";
import { appendList } from "../contract/writes.ts";
import { MemoryStorage } from "../memory/memory.ts";
import { GroupCommit } from "./group-commit.ts";
import { JsonlStorage } from "./jsonl.ts";

describe.each(["process", "power"] as const)("commits while the disk is busy, durability %s", (durability) => {
  let files: UnreliableDisk;
  let storage: JsonlStorage;
  /** The lines of each physical write since the store was opened. */
  const writes = () =>
    files.calls
      .filter(({ operation }) => operation === "append")
      .map(
        ({ bytes }) =>
          Buffer.from(bytes ?? [])
            .toString()
            .split("\n").length - 1,
      );
  const append = (word: string) => storage.commit([appendList(words, word)]);

  beforeEach(async () => {
    files = new UnreliableDisk();
    storage = await JsonlStorage.open("s", { files, durability, now: () => 7 });
    files.calls.length = 0;
  });

  test("[C3] a commit on an idle store is handed to the disk within the call", async () => {
    const landed = append("x");
    expect(writes()).toEqual([1]);
    await landed;
    await storage.close();
  });

  test("[C3] what came during a write goes to the disk in one write and at most one sync, each with its result", async () => {
    const parked = deferred<undefined>();
    files.intercept = ({ operation }) => (operation === "append" ? parked.promise : undefined);
    const order: number[] = [];
    const commits = Array.from({ length: 100 }, (_, index) =>
      append(`word ${index}`).then(({ firstSeq, stats }) => {
        order.push(firstSeq);
        return { firstSeq, stats };
      }),
    );
    expect(writes()).toEqual([1]);
    parked.resolve(undefined);
    const results = await Promise.all(commits);
    expect(writes()).toEqual([1, 99]);
    expect(files.count("sync")).toBe(durability === "power" ? 2 : 0);
    expect(order).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
    expect(results.map(({ firstSeq }) => firstSeq)).toEqual(order);
    await storage.close();
  });

  test("[A3] each transaction of a group has the stats of its own moment, as in memory", async () => {
    const memory = new MemoryStorage({ now: () => 7 });
    const message = (id: string) => [
      { ...note(id), entry: { id, parentId: null, type: "message", message: {} } } as ReturnType<typeof note>,
    ];
    const ids = ["a", "b", "c", "d"];
    const seen = await Promise.all(ids.map((id) => storage.commit(message(id))));
    expect(seen).toEqual(await Promise.all(ids.map((id) => memory.commit(message(id)))));
    expect(seen.map(({ stats }) => stats.messageCount)).toEqual([1, 2, 3, 4]);
    await storage.close();
  });

  test("[A4] a refused transaction leaves the group around it as it is", async () => {
    const results = await Promise.allSettled([
      append("first"),
      storage.commit([note("a")]),
      storage.commit([appendList(words, "lost"), note("a")]),
      append("last"),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
    expect(await storage.readList(words)).toEqual([
      { seq: 1, value: "first" },
      { seq: 3, value: "last" },
    ]);
    await storage.close();
  });

  test("[C7] nothing is replied, and no read answers with it, before it is durable", async () => {
    const last = durability === "power" ? "sync" : "append";
    const parked = deferred<undefined>();
    files.intercept = ({ operation }) => (operation === last ? parked.promise : undefined);
    const happened: string[] = [];
    const commit = append("x").then(() => happened.push("replied"));
    const read = storage.readList(words).then((found) => happened.push(`read ${found.length}`));
    await new Promise((turn) => setImmediate(turn));
    expect(happened).toEqual([]);
    parked.resolve(undefined);
    await Promise.all([commit, read]);
    expect(happened).toEqual(["replied", "read 1"]);
    await storage.close();
  });

  test("[A12] close lets admitted commits finish, refuses later calls, and is idempotent", async () => {
    const parked = deferred<undefined>();
    files.intercept = ({ operation }) => (operation === "append" ? parked.promise : undefined);
    const admitted = [append("a"), append("b")];
    const closed = Promise.all([storage.close(), storage.close()]);
    await expect(append("c")).rejects.toMatchObject({ code: "storage_closed" });
    await expect(contentOf(storage)).rejects.toMatchObject({ code: "storage_closed" });
    await expect(storage.compact()).rejects.toMatchObject({ code: "storage_closed" });
    parked.resolve(undefined);
    expect((await Promise.all(admitted)).map(({ firstSeq }) => firstSeq)).toEqual([1, 2]);
    await closed;
    const reopened = await JsonlStorage.open("s", { files, durability });
    expect(await reopened.readList(words)).toHaveLength(2);
    await reopened.close();
  });

  test("[K1] kill gives nothing more to the disk and replies nothing more; what was given may land", async () => {
    const parked = deferred<undefined>();
    files.intercept = ({ operation }) => (operation === "append" ? parked.promise : undefined);
    const replied: unknown[] = [];
    for (const word of ["given", "queued"]) {
      append(word).then(
        () => replied.push("landed"),
        () => replied.push("failed"),
      );
    }
    const killed = storage.kill();
    // An open of the same session waits for the write that is in flight.
    const reopening = JsonlStorage.open("s", { files, durability });
    parked.resolve(undefined);
    await killed;
    const reopened = await reopening;
    expect((await reopened.readList(words)).map(({ value }) => value)).toEqual(["given"]);
    expect(replied).toEqual([]);
    await expect(append("late")).rejects.toMatchObject({ code: "storage_closed" });
    await Promise.all([storage.kill(), storage.close(), reopened.close()]);
  });
});

test("[C3] what is too much for one write goes in several, in order; a line that is too long goes alone", async () => {
  const writes: string[] = [];
  const commits = new GroupCommit(async (lines) => void writes.push(lines.join("+")), 6);
  const add = (line: string) =>
    new Promise<void>((landed, failed) => {
      commits.add({ line, landed, failed });
    });
  await Promise.all(["a", "bbb", "ccc", "d", "eeeeeeeee", "f"].map(add));

  expect(writes).toEqual(["a", "bbb+ccc", "d", "eeeeeeeee", "f"]);
});
