/** The store as an outside party has it while no process holds the session: nothing waits at a gate. */
import type { CommitResult, Storage, Write } from "../../src/index.ts";

/** Every call goes straight to `inner`; `landed` is told of each commit. */
export function passThrough(
  inner: Storage,
  landed: (writes: readonly Write[], result: CommitResult) => Promise<void>,
): Storage {
  return new Proxy(inner, {
    get(target, name) {
      if (name === "close") return () => Promise.resolve();
      if (name === "commit") {
        return async (writes: Write[]) => {
          const result = await target.commit(writes);
          await landed(writes, result);
          return result;
        };
      }
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}
