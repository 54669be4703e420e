/** Makes a session in memory from an image (L1, L2). */
import type { NewSession } from "../contract/image.ts";
import { MemoryStorage, type MemoryStorageOptions } from "./memory.ts";
import { MemoryState } from "./state.ts";

/**
 * Makes a session in memory from an image (L1, L2). Nobody has the store before it holds everything.
 *
 * The session refuses with `StorageRejected` what a store would refuse.
 */
export function newMemorySession(options: MemoryStorageOptions = {}): NewSession<MemoryStorage> {
  return async (image) => {
    const state = new MemoryState();
    for await (const page of image.pages()) state.replay(page);
    state.reserveBelow(image.nextSeq);
    return new MemoryStorage(options, state);
  };
}
