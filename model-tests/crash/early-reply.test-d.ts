/** A store that is at fault on purpose: it replies before its bytes are with the operating system. */
import { setTimeout } from "node:timers/promises";
import { JsonlStorage, nodeFiles, type SessionFile, type SessionFiles } from "../../src/index.ts";
import type { OpenFileStore } from "../stores/file-stores.ts";

const lagMs = 20;

function lagging(file: SessionFile): SessionFile {
  let written: Promise<unknown> = Promise.resolve();
  return {
    append: async (bytes) => {
      written = written.then(() => setTimeout(lagMs)).then(() => file.append(bytes));
      return bytes.length;
    },
    sync: () => Promise.resolve(),
    truncate: (size) => file.truncate(size),
    close: async () => {
      await written;
      await file.close();
    },
  };
}

const files: SessionFiles = { ...nodeFiles, open: async (path) => lagging(await nodeFiles.open(path)) };

/** A session that does not exist yet is made by a store without fault: the fault is in what comes after. */
export const openStore: OpenFileStore = async (path, options) => {
  await (await JsonlStorage.open(path, options)).close();
  return JsonlStorage.open(path, { ...options, files });
};
