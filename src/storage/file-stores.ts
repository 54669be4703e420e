/** The one table of the stores that keep a session in a file. Whatever treats all of them alike is derived from it. */
import type { ImageSource, NewSession } from "./contract/image.ts";
import type { Durability, Storage } from "./contract/storage.ts";
import type { SessionFiles } from "./files/files.ts";
import { newJsonlSession } from "./jsonl/import.ts";
import { JsonlStorage } from "./jsonl/jsonl.ts";
import { newSqliteSession } from "./sqlite/import.ts";
import { sqliteDefect } from "./sqlite/integrity.ts";
import { SqliteStorage } from "./sqlite/sqlite.ts";

/** One handle on a session in a file. */
export interface FileStorage extends Storage, ImageSource {
  /** Lets go of the file without finishing anything, as the death of the process would. Idempotent. */
  kill(): Promise<void>;
  /** Rewrites the file with what is left of the session (A10), where a store does that. */
  compact?(): Promise<void>;
}

/** What every store in a file can be told. Each store takes more options of its own. */
export interface FileStoreOptions {
  /** What a replied commit survives. Default: power. */
  readonly durability?: Durability;
  /** The source of commit timestamps, in milliseconds since the epoch. Default: `Date.now`. */
  readonly now?: () => number;
  /** From how many bytes of growth on the session compacts by itself, where a store does that. Default: 1 MiB. */
  readonly compactAfter?: number;
  /** The file system underneath. A store that does its own input and output ignores it. Default: the machine's. */
  readonly files?: SessionFiles;
}

/** One kind of store. */
export interface FileStore {
  /** What people call it. */
  readonly title: string;
  /** Opens the session in the file `path` for writing, or makes it. */
  open(path: string, options?: FileStoreOptions): Promise<FileStorage>;
  /** Makes the session in the file `path` from an image (L1, L2). */
  newSession(path: string): NewSession<void>;
  /** The optional package that it needs. */
  readonly requires?: string;
  /** Where commits are written: each is an ending that is added to the path. */
  readonly written: readonly string[];
  /** What else may lie beside the session: endings too. */
  readonly beside: readonly string[];
  /** Whether an open cuts off what a death left half written, so that the file gets shorter (A13). */
  readonly cutsTornTails: boolean;
  /** What the file format itself finds wrong with a session that nobody has open; `undefined` when it is sound (A11). */
  defectOf?(path: string): Promise<string | undefined>;
}

/** Every store of this package whose sessions outlive the process, by its name on the command line. */
export const fileStores = {
  jsonl: {
    title: "JSONL",
    open: (path, options) => JsonlStorage.open(path, options),
    newSession: (path) => newJsonlSession(path),
    written: [""],
    beside: [".unfinished", ".lock"],
    cutsTornTails: true,
  },
  sqlite: {
    title: "SQLite",
    open: (path, options) => SqliteStorage.open(path, options),
    newSession: (path) => newSqliteSession(path),
    requires: "better-sqlite3",
    written: ["", "-wal"],
    beside: ["-shm", ".unfinished", ".unfinished-journal", ".lock"],
    // SQLite leaves out of its log what is torn, and tells nobody.
    cutsTornTails: false,
    defectOf: sqliteDefect,
  },
} as const satisfies Record<string, FileStore>;

/** The name of a store in the table. */
export type FileStoreName = keyof typeof fileStores;

/** All names, in the order of the table. */
export const fileStoreNames = Object.keys(fileStores) as readonly FileStoreName[];

/** The store of that name. */
export const fileStoreNamed = (name: FileStoreName): FileStore => fileStores[name];
