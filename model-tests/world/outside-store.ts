/** The store as an outside party has it while no process holds the session: nothing waits at a gate. */
import { type CommitResult, type Storage, type Write, wrapStorage } from "../../src/index.ts";

/** Every call goes straight to `inner`; `landed` is told of each commit. */
export function passThrough(
  inner: Storage,
  landed: (writes: readonly Write[], result: CommitResult) => Promise<void>,
): Storage {
  const commit = async (writes: Write[]) => {
    const result = await inner.commit(writes);
    await landed(writes, result);
    return result;
  };
  return wrapStorage(inner, { commit, close: () => Promise.resolve() });
}
