/** The one way to stand in front of a store: the same store, with some of its calls taken over. */
import type { Storage } from "./contract/storage.ts";

/**
 * The same store, in which each call that `calls` names goes there instead. All other members are those of `storage`,
 * which does not change.
 */
export function wrapStorage<S extends Storage>(storage: S, calls: Partial<Storage>): S {
  return new Proxy(storage, {
    get(target, name) {
      if (Object.hasOwn(calls, name)) return Reflect.get(calls, name);
      // A store keeps its state in private fields, which only the store itself may touch.
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}
