/** How great the log of an SQLite session gets (A11). */
import { statSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { list } from "../../addresses/address.ts";
import { sessionFolder } from "../../testing/sqlite/sessions.ts";
import { appendList, deleteList } from "../contract/writes.ts";
import { SqliteStorage } from "./sqlite.ts";

const words = list<string>("test.words");
const bound = 5 * 1024 * 1024;

let session: ReturnType<typeof sessionFolder>;
beforeEach(() => {
  session = sessionFolder();
});
afterEach(() => session.remove());

const logSize = () => statSync(`${session.path}-wal`).size;

test("[A11] many small commits, each of its own, leave a log of bounded size", async () => {
  const storage = await SqliteStorage.open(session.path, { durability: "process" });
  let greatest = 0;
  for (let index = 0; index < 3_000; index++) {
    await storage.commit([appendList(words, "8 units.")]);
    greatest = Math.max(greatest, logSize());
  }
  // More was written to it than it may hold: without checkpoints it would be greater.
  expect(greatest).toBeGreaterThan(3 * 1024 * 1024);
  expect(greatest).toBeLessThan(bound);
  await storage.close();
});

test("[A11] the log of one great transaction is cut after the next checkpoint", async () => {
  const storage = await SqliteStorage.open(session.path, { durability: "process" });
  await storage.commit([appendList(words, "x".repeat(20_000_000))]);
  expect(logSize()).toBeGreaterThan(20_000_000);
  await storage.commit([deleteList(words)]);
  await storage.commit([appendList(words, "small")]);
  expect(logSize()).toBeLessThan(bound);
  expect(await storage.readList(words)).toMatchObject([{ value: "small" }]);
  await storage.close();
});
