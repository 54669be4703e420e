/** A session file that is renamed, replaced, deleted, linked or written to while it is open (A9, A13). */
import {
  appendFileSync,
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { SessionLocked, SessionLost } from "../../errors.ts";
import { words } from "../../testing/jsonl/sessions.ts";
import { temporaryFolder } from "../../testing/storage/stores.ts";
import type { Durability } from "../contract/storage.ts";
import { appendList } from "../contract/writes.ts";
import { JsonlStorage } from "./jsonl.ts";

let root: ReturnType<typeof temporaryFolder>;
let folder: string;
let path: string;
let moved: string;

beforeEach(() => {
  root = temporaryFolder();
  folder = join(root.path, "folder");
  mkdirSync(folder);
  path = join(folder, "s");
  moved = join(folder, "t");
});

afterEach(() => root.remove());

const append = (storage: JsonlStorage, word: string) => storage.commit([appendList(words, word)]);
const wordsIn = async (at: string) => {
  const storage = await JsonlStorage.open(at, { readOnly: true });
  return (await storage.readList(words, { limit: 10_000 })).map(({ value }) => value);
};

/** What may become of the file, and where its content is then, when it is somewhere. */
const losses: [how: string, lose: () => void, at?: string][] = [
  ["renamed", () => renameSync(path, moved), "folder/t"],
  ["deleted", () => rmSync(path)],
  [
    "replaced by a copy",
    () => {
      copyFileSync(path, moved);
      renameSync(moved, path);
    },
    "folder/s",
  ],
  ["moved with its folder", () => renameSync(folder, join(root.path, "old")), "old/s"],
  [
    "moved with its folder, in whose place is another",
    () => {
      renameSync(folder, join(root.path, "old"));
      mkdirSync(folder);
    },
    "old/s",
  ],
  ["emptied", () => writeFileSync(path, "")],
  ["written to", () => appendFileSync(path, "x")],
];

describe.each(losses)("[A13] a session whose file was %s while it was open", (_how, lose, at) => {
  test("acknowledges no commit with power, and all that was acknowledged is where the file is", async () => {
    const storage = await JsonlStorage.open(path, { durability: "power" });
    await append(storage, "a");
    lose();
    await expect(append(storage, "b")).rejects.toThrow(SessionLost);
    await expect(append(storage, "c")).rejects.toMatchObject({ code: "session_lost", path });
    await storage.close();

    if (at !== undefined) expect((await wordsIn(join(root.path, at)))[0]).toBe("a");
  });

  test("acknowledges 63 commits at most with process", async () => {
    const storage = await JsonlStorage.open(path, { durability: "process" });
    await append(storage, "a");
    lose();
    let acknowledged = 0;
    const error = await (async () => {
      for (;;) {
        await append(storage, "b");
        acknowledged++;
      }
    })().catch((reason: unknown) => reason);
    await storage.close();

    expect(error).toBeInstanceOf(SessionLost);
    expect(acknowledged).toBeLessThan(64);
  });

  test("is told at its close, when it has written since", async () => {
    const storage = await JsonlStorage.open(path, { durability: "process" });
    lose();
    await append(storage, "b");

    await expect(storage.close()).rejects.toThrow(SessionLost);
  });

  test("is not compacted into the place of anything", async () => {
    const storage = await JsonlStorage.open(path, { durability: "process" });
    await append(storage, "a");
    lose();
    const before = existsSync(path) ? readFileSync(path) : undefined;
    await expect(storage.compact()).rejects.toMatchObject({
      code: expect.stringMatching(/session_lost|storage_failed/),
    });
    await storage.close();

    expect(existsSync(path) ? readFileSync(path) : undefined).toEqual(before);
  });
});

test("a new session is its owner's alone; a compaction keeps owner and permissions", async () => {
  const mode = () => statSync(path).mode & 0o777;
  const uid = process.getuid?.() === 0 ? 1_000 : statSync(folder).uid;
  await (await JsonlStorage.open(path)).close();
  expect(mode()).toBe(0o600);
  for (const kept of [0o640, 0o600, 0o666]) {
    chmodSync(path, kept);
    chownSync(path, uid, statSync(folder).gid);
    const storage = await JsonlStorage.open(path);
    await storage.compact();
    await storage.compact();
    await storage.close();
    expect([mode(), statSync(path).uid]).toEqual([kept, uid]);
  }
});

test("[A13] the session that another makes in the place of a moved folder stays whole", async () => {
  const first = await JsonlStorage.open(path);
  await append(first, "a");
  renameSync(folder, join(root.path, "old"));
  mkdirSync(folder);
  const second = await JsonlStorage.open(path);
  await append(second, "b");
  await expect(first.compact()).rejects.toThrow(SessionLost);
  await append(second, "b2");
  await Promise.all([first.close(), second.close()]);

  expect(await wordsIn(path)).toEqual(["b", "b2"]);
  expect(await wordsIn(join(root.path, "old", "s"))).toEqual(["a"]);
});

describe("[A13] another name of an open session's file", () => {
  const open = (at: string, durability: Durability = "process") => JsonlStorage.open(at, { durability });

  test.each([
    ["by a hard link", () => linkSync(path, moved)],
    ["by a rename", () => renameSync(path, moved)],
  ] as const)("%s is refused, and free when it is closed", async (_how, name) => {
    const first = await open(path);
    name();
    await expect(open(moved)).rejects.toThrow(SessionLocked);
    await expect(open(moved)).rejects.toThrow(SessionLocked);
    await first.close();

    await (await open(moved)).close();
  });

  test("stays refused after a compaction that changes the file, and its own old file is let go", async () => {
    const first = await open(path);
    linkSync(path, join(folder, "before"));
    await first.compact();
    linkSync(path, moved);
    await expect(open(moved)).rejects.toThrow(SessionLocked);

    await (await open(join(folder, "before"))).close();
    await first.close();
  });

  test("of a session that was just made is refused as well", async () => {
    const made = await open(path);
    renameSync(path, moved);
    await expect(open(moved)).rejects.toThrow(SessionLocked);
    await made.kill();

    await (await open(moved)).close();
  });
});
