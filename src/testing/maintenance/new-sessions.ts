import { join } from "node:path";
import { afterAll } from "vitest";
import { list, value } from "../../addresses/address.ts";
import type { ImageSource, NewSession, SessionImage, Survivor } from "../../storage/contract/image.ts";
import type { Storage } from "../../storage/contract/storage.ts";
import { appendList, deleteList, deleteValue, setValue, type Write } from "../../storage/contract/writes.ts";
import { newJsonlSession } from "../../storage/jsonl/import.ts";
import { JsonlStorage } from "../../storage/jsonl/jsonl.ts";
import { newMemorySession } from "../../storage/memory/import.ts";
import { MemoryStorage } from "../../storage/memory/memory.ts";
import { newSqliteSession } from "../../storage/sqlite/import.ts";
import { SqliteStorage } from "../../storage/sqlite/sqlite.ts";
import { note, usage, words } from "../jsonl/sessions.ts";
import { temporaryFolder } from "../storage/stores.ts";

/** A store that can be forked. */
export type Source = Storage & ImageSource;

/** One kind of store: a session of it is opened, or made from an image and opened. */
export interface Kind {
  readonly name: string;
  /** Opens the session in the folder, which may be an empty one. */
  readonly openIn: (folder: string, now: () => number) => Promise<Source>;
  readonly newIn: (folder: string, now: () => number) => NewSession<Source>;
}

const jsonl = (folder: string, now: () => number) => JsonlStorage.open(fileIn(folder), { now, durability: "process" });
const sqlite = (folder: string, now: () => number) =>
  SqliteStorage.open(fileIn(folder), { now, durability: "process" });

const thenOpen = (make: (path: string) => NewSession<void>, openIn: Kind["openIn"]): Kind["newIn"] => {
  return (folder, now) => async (image) => {
    await make(fileIn(folder))(image);
    return openIn(folder, now);
  };
};

const fileIn = (folder: string) => join(folder, "session");

export const kinds: readonly Kind[] = [
  {
    name: "memory",
    openIn: async (_folder, now) => new MemoryStorage({ now }),
    newIn: (_folder, now) => newMemorySession({ now }),
  },
  { name: "JSONL", openIn: jsonl, newIn: thenOpen(newJsonlSession, jsonl) },
  { name: "SQLite", openIn: sqlite, newIn: thenOpen(newSqliteSession, sqlite) },
];

/** The kinds of which a session outlives its handle. */
export const fileKinds = kinds.slice(1);

export function kindNamed(name: string): Kind {
  const kind = kinds.find((one) => one.name === name);
  if (kind === undefined) throw new Error(`There is no kind of store ${name}`);
  return kind;
}

/** All that a session holds, with numbers and timestamps. */
export function everythingIn(source: ImageSource): Promise<{ nextSeq: number; survivors: Survivor[] }> {
  return source.withImage(async (image) => ({ nextSeq: image.nextSeq, survivors: await survivorsOf(image) }));
}

export async function survivorsOf(image: SessionImage): Promise<Survivor[]> {
  const survivors: Survivor[] = [];
  for await (const page of image.pages()) survivors.push(...page);
  return survivors;
}

/** Folders that are gone after the tests of a file. */
export function foldersOfTests(): { newFolder(): string } {
  const folders: ReturnType<typeof temporaryFolder>[] = [];
  afterAll(() => {
    for (const folder of folders) folder.remove();
  });
  return {
    newFolder: () => {
      const folder = temporaryFolder();
      folders.push(folder);
      return folder.path;
    },
  };
}

/** A clock that goes on at every look. */
export const ticking = () => {
  let time = 0;
  return () => ++time;
};

/** More than a page of what stays, with gaps, and things that do not stay. */
export function longSession(): Write[][] {
  const bursts = Array.from({ length: 250 }, (_, index): Write[] => [
    note(`n${index}`, index === 0 ? null : `n${index - 1}`),
    setValue(value<number>("test.count"), index),
    appendList(words, `word ${index}`),
    appendList(list<number>("test.other", String(index)), index),
    appendList(words, "x".repeat(index)),
    ...(index % 3 === 0 ? [usage(`u${index}`), deleteList(list("test.other", String(index - 1)))] : []),
  ]);
  return [...bursts, [deleteValue(value("test.count")), deleteList(list("test.none"))]];
}

export async function commitAll(storage: Storage, all: readonly Write[][]): Promise<void> {
  for (const writes of all) await storage.commit(writes);
}
