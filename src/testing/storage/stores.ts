import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Storage } from "../../storage/contract/storage.ts";
import { JsonlStorage } from "../../storage/jsonl/jsonl.ts";
import { MemoryStorage } from "../../storage/memory/memory.ts";
import { SqliteStorage } from "../../storage/sqlite/sqlite.ts";

/** A store that outlives its handle. */
export interface FileStorage extends Storage {
  kill(): Promise<void>;
  compact?(): Promise<void>;
}

export interface FileStore {
  readonly name: string;
  open(path: string, now: () => number): Promise<FileStorage>;
}

export const fileStores: readonly FileStore[] = [
  { name: "JSONL", open: (path, now) => JsonlStorage.open(path, { now, durability: "process" }) },
  { name: "SQLite", open: (path, now) => SqliteStorage.open(path, { now, durability: "process" }) },
];

/** Every store of the package, each opened empty in the folder given. */
export const stores: readonly { name: string; openIn(folder: string, now: () => number): Promise<Storage> }[] = [
  { name: "memory", openIn: async (_folder, now) => new MemoryStorage({ now }) },
  ...fileStores.map(({ name, open }) => ({
    name,
    openIn: (folder: string, now: () => number) => open(join(folder, "session"), now),
  })),
];

/** A folder of its own for one test. */
export function temporaryFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "storage-"));
  return { path, remove: () => rmSync(path, { recursive: true }) };
}
