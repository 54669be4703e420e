/** The stores that outlive their process, by their names on the command line. */
import { type Durability, JsonlStorage, SqliteStorage, type Storage } from "../../src/index.ts";

export const fileStoreNames = ["jsonl", "sqlite"] as const;
export type FileStoreName = (typeof fileStoreNames)[number];

export interface FileStoreOptions {
  readonly durability: Durability;
  /** The source of commit timestamps, in milliseconds. */
  readonly now: () => number;
}

/** One handle on a session file. */
export interface FileStorage extends Storage {
  /** Lets go of the file as the death of the process would. */
  kill(): Promise<void>;
  /** Rewrites the file with what is left of the session (A10), where a store does that. */
  compact?(): Promise<void>;
}

export type OpenFileStore = (path: string, options: FileStoreOptions) => Promise<FileStorage>;

export const fileStores: Readonly<Record<FileStoreName, OpenFileStore>> = {
  jsonl: (path, options) => JsonlStorage.open(path, options),
  sqlite: (path, options) => SqliteStorage.open(path, options),
};
