/** An SQLite session that is reached by links, or moved while it is open: its log is found, or it is refused (A3, A9). */
import {
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { list } from "../../addresses/address.ts";
import { NotASession } from "../../errors.ts";
import { inDatabase, sessionFolder } from "../../testing/sqlite/sessions.ts";
import { appendList } from "../contract/writes.ts";
import { SqliteStorage } from "./sqlite.ts";

const words = list<number>("test.words");

let session: ReturnType<typeof sessionFolder>;
/** A session whose last process was killed, so that its log holds what was replied. */
let path: string;
/** A symbolic link to a symbolic link to it, in another folder. */
let link: string;

beforeEach(async () => {
  session = sessionFolder();
  path = join(session.folder, "killed");
  link = join(session.folder, "links", "link");
  const storage = await SqliteStorage.open(session.path);
  await storage.commit([appendList(words, 0), appendList(words, 1)]);
  for (const part of ["", "-wal"]) copyFileSync(`${session.path}${part}`, `${path}${part}`);
  await storage.close();
  mkdirSync(join(session.folder, "links"));
  symlinkSync("inner", link);
  symlinkSync("../killed", join(session.folder, "links", "inner"));
});

afterEach(() => session.remove());

const files = () =>
  Object.fromEntries(
    readdirSync(session.folder, { recursive: true, withFileTypes: true })
      .filter((found) => found.isFile())
      .map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name), "base64")]),
  );

async function wordsAt(at: string): Promise<number[]> {
  const storage = await SqliteStorage.open(at);
  const stored = await storage.readList(words);
  await storage.close();
  return stored.map(({ value }) => value);
}

async function expectRefused(at: string, reason: RegExp): Promise<void> {
  const before = files();
  await expect(SqliteStorage.open(at)).rejects.toThrow(NotASession);
  await expect(SqliteStorage.open(at)).rejects.toThrow(reason);
  expect(files()).toEqual(before);
}

describe("an SQLite session and links", () => {
  test("[A3] through a symbolic link the log of the target is found", async () => {
    expect(await wordsAt(link)).toEqual([0, 1]);
  });

  test.each<[string, () => void]>([
    ["gone", () => rmSync(path)],
    ["empty", () => truncateSync(path, 0)],
  ])(
    "[A9] through a symbolic link to a file that is %s, the log is kept and the session refused",
    async (_what, harm) => {
      harm();
      await expectRefused(link, /bring it back, or move the log away/);
    },
  );

  test("[A9] what has to be refused because of its log stays as it is through a symbolic link too", async () => {
    inDatabase(session.path, (database) => {
      database.exec("CREATE TRIGGER t AFTER INSERT ON entries BEGIN SELECT 1; END");
      for (const part of ["", "-wal"]) copyFileSync(`${session.path}${part}`, `${path}${part}`);
    });
    await expectRefused(link, /./);
  });

  test("[A11] a symbolic link to no file makes the session where it leads", async () => {
    for (const part of ["", "-wal"]) rmSync(`${path}${part}`);
    await (await SqliteStorage.open(link)).close();
    expect(readFileSync(path).length).toBeGreaterThan(0);
  });

  test("[A3] a file with two names is refused under both, and opened when it has one", async () => {
    const other = join(session.folder, "other");
    linkSync(path, other);
    await expectRefused(other, /hard link/);
    await expectRefused(path, /hard link/);
    rmSync(other);
    expect(await wordsAt(path)).toEqual([0, 1]);
  });
});
