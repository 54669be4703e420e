/** Stores whose physical write takes a given time, and no other: nothing reaches a disk. */
import { setTimeout as delay } from "node:timers/promises";
import type { Storage as PiStorage } from "@earendil-works/pi-agent-core";
import { JsonlStorage } from "../../src/index.ts";
import { filesWith } from "./counted-files.ts";

/** This project's JSONL store over a file that forgets. A write takes the time however many transactions are in it. */
export function slowJsonl(path: string, writeMs: number): Promise<JsonlStorage> {
  let size = 0;
  const files = filesWith((file) => ({
    append: async (bytes) => {
      await pass(writeMs);
      size += bytes.length;
      return bytes.length;
    },
    sync: async () => {},
    truncate: async () => {},
    close: () => file.close(),
    status: async () => ({ ...(await file.status()), size }),
  }));
  // The store must not see that the file forgets.
  const statusOf = async (at: string) => {
    const found = await files.statusOf(at);
    return found && { ...found, size };
  };
  return JsonlStorage.open(path, { durability: "process", files: { ...files, statusOf } });
}

/** A store of pi's with one physical write for each commit, one after the other, as pi's file store makes them. */
export function slowPi(inner: PiStorage, writeMs: number): PiStorage {
  let last: Promise<unknown> = Promise.resolve();
  const commit: PiStorage["commit"] = (writes, context) => {
    const result = last.then(async () => {
      await pass(writeMs);
      return inner.commit(writes, context);
    });
    last = result.catch(() => {});
    return result;
  };
  return {
    commit,
    getEntries: (...call) => inner.getEntries(...call),
    getValue: (...call) => inner.getValue(...call),
    scanValues: (...call) => inner.scanValues(...call),
    readList: (...call) => inner.readList(...call),
    scanBranch: (...call) => inner.scanBranch(...call),
    scanBranchStructure: (...call) => inner.scanBranchStructure(...call),
    scanEntries: (...call) => inner.scanEntries(...call),
    scanUsage: (...call) => inner.scanUsage(...call),
    getStats: (...call) => inner.getStats(...call),
    close: (...call) => inner.close(...call),
  };
}

async function pass(timeMs: number): Promise<void> {
  if (timeMs > 0) await delay(timeMs);
}
