/** A store that is at fault on purpose: it replies before its bytes are with the operating system. */
import { JsonlStorage, nodeFiles, type SessionFile, type SessionFiles } from "../../src/index.ts";
import type { OpenFileStore } from "../stores/file-stores.ts";

/** Always one write behind: what it has replied last is lost with its process, whenever that is killed. */
function behind(file: SessionFile): SessionFile {
  let held: Uint8Array | undefined;
  const flush = async (): Promise<void> => {
    const bytes = held;
    held = undefined;
    if (bytes !== undefined) await file.append(bytes);
  };
  return {
    append: async (bytes) => {
      await flush();
      held = Uint8Array.from(bytes);
      return bytes.length;
    },
    sync: () => Promise.resolve(),
    truncate: (size) => file.truncate(size),
    close: async () => {
      await flush();
      await file.close();
    },
  };
}

const files: SessionFiles = { ...nodeFiles, open: async (path) => behind(await nodeFiles.open(path)) };

/** A session that does not exist yet is made by a store without fault: the fault is in what comes after. */
export const openStore: OpenFileStore = async (path, options) => {
  await (await JsonlStorage.open(path, options)).close();
  return JsonlStorage.open(path, { ...options, files });
};
