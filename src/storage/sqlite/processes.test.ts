/** SQLite sessions over the death of processes (A13). */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { list } from "../../addresses/address.ts";
import { SessionLocked } from "../../errors.ts";
import { inDatabase, sessionFolder } from "../../testing/sqlite/sessions.ts";
import { appendList } from "../contract/writes.ts";
import { SqliteStorage } from "./sqlite.ts";

const words = list<number>("test.words");
const script = fileURLToPath(new URL("../../testing/sqlite/child.ts", import.meta.url));
const node = [process.execPath, "--import", "tsx", script];

let session: ReturnType<typeof sessionFolder>;
const children: ChildProcess[] = [];

beforeEach(() => {
  session = sessionFolder();
});

afterEach(async () => {
  for (const child of children.splice(0)) await kill(child);
  session.remove();
});

function start(command: readonly string[]): { child: ChildProcess; lines: AsyncIterator<string> } {
  const [file = "", ...args] = command;
  const child = spawn(file, args, { cwd: dirname(script), stdio: ["pipe", "pipe", "inherit"] });
  children.push(child);
  return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

async function nextLine(lines: AsyncIterator<string>): Promise<string> {
  const { value, done } = await lines.next();
  if (done === true) throw new Error("The child ended early");
  return value;
}

async function restOf(lines: AsyncIterator<string>): Promise<string[]> {
  const all: string[] = [];
  for (let line = await lines.next(); line.done !== true; line = await lines.next()) all.push(line.value);
  return all;
}

async function storedWords(): Promise<number[]> {
  const storage = await SqliteStorage.open(session.path);
  const stored = await storage.readList(words, { limit: 10_000 });
  await storage.close();
  return stored.map(({ value }) => value);
}

const integrity = () => inDatabase(session.path, (db) => db.pragma("integrity_check", { simple: true }));
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);
const repliesIn = (lines: readonly string[]) => lines.filter((line) => line.startsWith("replied")).length;

describe("an SQLite session and processes", () => {
  test.each([
    [1, 3],
    [1, 40],
    [7, 21],
    [7, 150],
  ])(
    "[A3] killed amid commits, %i at once, after %i replies: all that was replied is there",
    async (queued, replies) => {
      const { child, lines } = start([...node, "write", session.path, String(queued)]);
      for (let seen = 0; seen < replies; seen++) await nextLine(lines);
      await kill(child);
      const replied = replies + repliesIn(await restOf(lines));
      const stored = await storedWords();
      expect(stored.length).toBeGreaterThanOrEqual(replied);
      expect(stored).toEqual(upTo(stored.length));
      expect(integrity()).toBe("ok");
    },
  );

  test("[A13] a commit that the system refuses to write ends commits; a reopen finds the replied prefix", async () => {
    // A limit on the size of files, with its signal ignored, is a write that fails as on a full disk.
    const limited = ["sh", "-c", 'trap "" XFSZ; ulimit -f 400; exec "$@"', "sh"];
    const { lines } = start([...limited, ...node, "write", session.path, "3"]);
    const told = await restOf(lines);
    expect(told.slice(-2)).toEqual(["failed storage_failed", "then storage_failed"]);
    const stored = await storedWords();
    expect(repliesIn(told)).toBeGreaterThan(10);
    expect(stored.length).toBeGreaterThanOrEqual(repliesIn(told));
    expect(stored).toEqual(upTo(stored.length));
    expect(integrity()).toBe("ok");
  });

  test("[A13] another process is refused while one has the session, and let in when that one dies", async () => {
    const { child, lines } = start([...node, "open", session.path]);
    expect(await nextLine(lines)).toBe("opened");
    await expect(SqliteStorage.open(session.path)).rejects.toThrow(SessionLocked);
    await kill(child);
    const storage = await SqliteStorage.open(session.path);
    await storage.commit([appendList(words, 0)]);
    await storage.close();
  });

  test("[A13] an open refused in this process does not let another process in", async () => {
    const storage = await SqliteStorage.open(session.path);
    const alias = join(session.folder, "alias");
    symlinkSync(session.path, alias);
    await expect(SqliteStorage.open(alias)).rejects.toThrow(SessionLocked);
    const { lines } = start([...node, "open", session.path]);
    expect(await nextLine(lines)).toBe("session_locked");
    await storage.commit([appendList(words, 0)]);
    await storage.kill();
    expect(await storedWords()).toEqual([0]);
  });
});
