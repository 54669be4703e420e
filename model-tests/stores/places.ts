/** The values and lists that some transactions have written to. */
import type { Write } from "../../src/index.ts";

/** A value or a list, named by a write to it. */
export type Place = Extract<Write, { readonly namespace: string }>;

export class Places implements Iterable<Place> {
  readonly #places = new Map<string, Place>();

  add(writes: readonly Write[]): void {
    for (const write of writes) {
      if (!("namespace" in write)) continue;
      const { kind, namespace, key } = write;
      // What was written there is kept by whoever needs it.
      const op = "delete";
      this.#places.set(`${kind} ${namespace}\u0000${key}`, { kind, op, namespace, key });
    }
  }

  [Symbol.iterator](): Iterator<Place> {
    return this.#places.values();
  }
}
