/** The machine's file system under the JSONL store, with counts. */
import { nodeFiles, type SessionFile, type SessionFiles } from "../../src/index.ts";

export interface CountedFiles {
  readonly files: SessionFiles;
  readonly counts: { writes: number; syncs: number };
}

export function countedFiles(): CountedFiles {
  const counts = { writes: 0, syncs: 0 };
  const counted = (file: SessionFile): SessionFile => ({
    append: (bytes) => {
      counts.writes++;
      return file.append(bytes);
    },
    sync: () => {
      counts.syncs++;
      return file.sync();
    },
    truncate: (size) => file.truncate(size),
    close: () => file.close(),
    status: () => file.status(),
  });
  return { files: filesWith(counted), counts };
}

/** The machine's file system, each open file of which goes through `wrap`. */
export function filesWith(wrap: (file: SessionFile) => SessionFile): SessionFiles {
  return {
    ...nodeFiles,
    open: async (path) => wrap(await nodeFiles.open(path)),
    create: async (path, access) => wrap(await nodeFiles.create(path, access)),
  };
}
