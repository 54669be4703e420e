/** A store that is at fault on purpose: it replies before its bytes are with the operating system. */
import { type FileStore, JsonlStorage, nodeFiles, type SessionFile, type SessionFiles } from "../../src/index.ts";

/** How many bytes a file lacks. */
let lacking = 0;

/** Writes only when it is closed: all that a process has been told since it opened the file is lost when it is killed. */
function behind(file: SessionFile): SessionFile {
  const held: Uint8Array[] = [];
  const flush = async (): Promise<void> => {
    for (const bytes of held.splice(0)) await file.append(bytes);
    lacking = 0;
  };
  return {
    append: (bytes) => {
      held.push(Uint8Array.from(bytes));
      lacking += bytes.length;
      return Promise.resolve(bytes.length);
    },
    sync: () => Promise.resolve(),
    truncate: (size) => file.truncate(size),
    close: async () => {
      await flush();
      await file.close();
    },
    status: () => file.status(),
  };
}

const files: SessionFiles = {
  ...nodeFiles,
  open: async (path) => behind(await nodeFiles.open(path)),
  // The store must not see what it lacks.
  statusOf: async (path) => {
    const found = await nodeFiles.statusOf(path);
    return found && { ...found, size: found.size + lacking };
  },
};

/**
 * A session that does not exist yet is made by a store without fault: the fault is in what comes after. A compaction would
 * write what was held back.
 */
export const openStore: FileStore["open"] = async (path, options) => {
  await (await JsonlStorage.open(path, options)).close();
  return Object.assign(await JsonlStorage.open(path, { ...options, files }), { compact: undefined });
};
