/** A store in a file, of which each process of a run has a handle of its own: what one leaves behind, the next one reads. */
import { rm } from "node:fs/promises";
import { type FileStorage, fileStoreNamed, fileStoreNames, type Storage } from "../../src/index.ts";
import { bounded } from "../world/bounded.ts";
import { Places } from "./places.ts";

export interface ReopeningStore extends Storage {
  /** Every value and list that was ever written to. */
  readonly places: Places;
  /** The process is gone, and its handle with it; whoever calls next opens the file anew. */
  lose(): void;
  /** Lets go of the file and removes it. */
  dispose(): Promise<void>;
}

/** What any of the stores leaves behind: endings of its path. */
const leftovers = new Set(fileStoreNames.map(fileStoreNamed).flatMap(({ written, beside }) => [...written, ...beside]));

/** @param open opens the session file `path`. */
export function reopeningStore(path: string, open: (path: string) => Promise<FileStorage>): ReopeningStore {
  const places = new Places();
  let handle: Promise<FileStorage> | undefined;
  /** How the handles before this one came to their end. */
  let gone: Promise<void> = Promise.resolve();
  const lose = (): void => {
    const lost = handle;
    handle = undefined;
    if (lost !== undefined) gone = gone.then(async () => (await lost).kill());
    // Whoever opens next hears of it; when nobody does, there is nothing to spoil.
    gone.catch(() => {});
  };
  const through = async <T>(call: (storage: FileStorage) => Promise<T>): Promise<T> => {
    handle ??= gone.then(() => open(path));
    return bounded("the store", handle.then(call));
  };
  return {
    places,
    commit: (writes) => {
      places.add(writes);
      return through((storage) => storage.commit(writes));
    },
    getEntries: (ids) => through((storage) => storage.getEntries(ids)),
    getValue: (address) => through((storage) => storage.getValue(address)),
    scanValues: (prefix) => through((storage) => storage.scanValues(prefix)),
    readList: (address, options) => through((storage) => storage.readList(address, options)),
    scanBranch: (query) => through((storage) => storage.scanBranch(query)),
    scanBranchStructure: (query) => through((storage) => storage.scanBranchStructure(query)),
    scanEntries: (query) => through((storage) => storage.scanEntries(query)),
    scanUsage: (query) => through((storage) => storage.scanUsage(query)),
    getStats: () => through((storage) => storage.getStats()),
    close: async () => {
      const closed = handle;
      handle = undefined;
      await (await closed)?.close();
    },
    lose,
    dispose: async () => {
      lose();
      await gone.catch(() => {});
      await Promise.all([...leftovers].map((ending) => rm(`${path}${ending}`, { force: true })));
    },
  };
}

export const isReopening = (store: Storage): store is ReopeningStore => "lose" in store;
