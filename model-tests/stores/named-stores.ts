/** The stores that an implementation can be driven on, by their names on the command line. */
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { threadId } from "node:worker_threads";
import {
  DurabilityError,
  type FileStorage,
  fileStoreNamed,
  fileStoreNames,
  MemoryStorage,
  type Storage,
} from "../../src/index.ts";
import { UsageError } from "../errors.ts";
import { reopeningStore } from "./reopening-store.ts";
import { selfRemovingFolder } from "./self-removing-folder.ts";

export const storeNames = ["memory", ...fileStoreNames] as const;
export type StoreName = (typeof storeNames)[number];

/** Makes stores of one kind. */
export interface NamedStores {
  /** A fresh, empty store. */
  newStore(): Storage;
  /** Where their files are. */
  readonly folder?: string;
  dispose(): void;
}

/** Time stands still for the store: two runs of one schedule are the same. */
const now = () => 0;

/**
 * @param folder somebody else's folder for the files; by default a temporary one, which `dispose` removes.
 * @throws {UsageError} when there is no such store, or when it cannot be used here.
 */
export async function openStores(name: string, folder?: string): Promise<NamedStores> {
  if (name === "memory") return { newStore: () => new MemoryStorage({ now }), dispose: () => {} };
  const fileStoreName = fileStoreNames.find((known) => known === name);
  if (fileStoreName === undefined) {
    throw new UsageError(`Unknown store "${name}". Known: ${storeNames.join(", ")}.`);
  }
  // The kill campaign is for what "power" adds; here no process dies.
  const { open: openStore } = fileStoreNamed(fileStoreName);
  const open = (path: string) => openStore(path, { durability: "process", now });
  if (folder !== undefined) return { ...storesIn(folder, open), dispose: () => {} };
  const own = selfRemovingFolder();
  try {
    await makeEmpty(name, emptyIn(own.path), open);
  } catch (error) {
    own.remove();
    throw error;
  }
  return { ...storesIn(own.path, open), dispose: own.remove };
}

const emptyIn = (folder: string): string => join(folder, "empty");

/** Each begins as a copy of an empty session: a new one is made durable, which takes longer than most runs do. */
function storesIn(folder: string, open: (path: string) => Promise<FileStorage>): Omit<NamedStores, "dispose"> {
  let made = 0;
  const newStore = () => {
    const path = join(folder, `${threadId}-${++made}`);
    copyFileSync(emptyIn(folder), path);
    return reopeningStore(path, open);
  };
  return { folder, newStore };
}

/** A missing package or a full disk is no finding about what is driven. */
async function makeEmpty(name: string, path: string, open: (path: string) => Promise<FileStorage>): Promise<void> {
  try {
    await (await open(path)).close();
  } catch (error) {
    if (!(error instanceof DurabilityError)) throw error;
    throw new UsageError(`The ${name} store cannot be used here: ${error.message}.`);
  }
}
