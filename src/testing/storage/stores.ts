/** Every store of the package as tests open it, in a folder of their own. Derived from the one table of stores. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ImageSource, NewSession } from "../../storage/contract/image.ts";
import type { Storage } from "../../storage/contract/storage.ts";
import { type FileStorage, fileStoreNamed, fileStoreNames } from "../../storage/file-stores.ts";
import { newMemorySession } from "../../storage/memory/import.ts";
import { MemoryStorage } from "../../storage/memory/memory.ts";

export type { FileStorage } from "../../storage/file-stores.ts";

/** A store that can be forked. */
export type Source = Storage & ImageSource;

/** One store: a session of it is opened, or made from an image and opened. */
export interface TestedStore {
  readonly name: string;
  /** Opens the session in the folder, which may be an empty one. */
  openIn(folder: string, now: () => number): Promise<Source>;
  newIn(folder: string, now: () => number): NewSession<Source>;
}

/** One whose sessions outlive their handle. */
export interface TestedFileStore extends TestedStore {
  open(path: string, now: () => number): Promise<FileStorage>;
}

const memory: TestedStore = {
  name: "memory",
  openIn: async (_folder, now) => new MemoryStorage({ now }),
  newIn: (_folder, now) => newMemorySession({ now }),
};

const fileIn = (folder: string): string => join(folder, "session");

export const fileStores: readonly TestedFileStore[] = fileStoreNames.map((storeName) => {
  const { title, newSession, open: openStore } = fileStoreNamed(storeName);
  const open: TestedFileStore["open"] = (path, now) => openStore(path, { now, durability: "process" });
  return {
    name: title,
    open,
    openIn: (folder, now) => open(fileIn(folder), now),
    newIn: (folder, now) => async (image) => {
      await newSession(fileIn(folder))(image);
      return open(fileIn(folder), now);
    },
  };
});

export const stores: readonly TestedStore[] = [memory, ...fileStores];

/** Each store with the one after it, the last with the first: all take part on both sides. */
export const storePairs: readonly (readonly [from: string, to: string])[] = stores.map(
  ({ name }, index) => [name, (stores[index + 1] ?? memory).name] as const,
);

export function storeNamed(name: string): TestedStore {
  const store = stores.find((one) => one.name === name);
  if (store === undefined) throw new Error(`There is no store ${name}`);
  return store;
}

/** A folder of its own for one test. */
export function temporaryFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "storage-"));
  return { path, remove: () => rmSync(path, { recursive: true }) };
}
