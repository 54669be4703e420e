/** Compares the store with the interpreter at every place that a transaction touched (sections A3 to A7). */
import { isDeepStrictEqual } from "node:util";
import { list, type Storage, value, type Write } from "../../src/index.ts";
import type { Interpreter } from "./interpreter.ts";

/** Throws an error that names the first place where the store and the replayed transactions differ. */
export async function compareStore(store: Storage, durable: Interpreter, writes: readonly Write[]): Promise<void> {
  for (const write of writes) {
    switch (write.kind) {
      case "value": {
        const stored = (await store.getValue(value(write.namespace, write.key)))?.value;
        same(stored, durable.value(write.namespace, write.key), `value ${write.namespace} ${write.key}`);
        break;
      }
      case "list": {
        const stored = await store.readList(list(write.namespace, write.key), { limit: 10_000 });
        same(stored, durable.list(write.namespace, write.key), `list ${write.namespace} ${write.key}`);
        break;
      }
      case "entry": {
        const stored = (await store.getEntries([write.entry.id])).get(write.entry.id);
        const message = stored !== undefined && "message" in stored ? stored.message : undefined;
        const replayed =
          durable.entries.at(-1)?.id === write.entry.id
            ? durable.entries.at(-1)
            : durable.entries.find(({ id }) => id === write.entry.id);
        same(
          { id: stored?.id, parentId: stored?.parentId, message },
          { id: replayed?.id, parentId: replayed?.parentId, message: replayed?.message },
          `entry ${write.entry.id}`,
        );
        break;
      }
      case "usage": {
        const [stored] = await store.scanUsage({ order: "desc", limit: 1 });
        same(stored?.usage, durable.usage.at(-1)?.usage, `usage ${write.row.id}`);
        break;
      }
    }
  }
}

function same(stored: unknown, replayed: unknown, where: string): void {
  if (!isDeepStrictEqual(stored, replayed)) {
    throw new Error(`A8: the store and the replayed transactions differ at ${where}`);
  }
}
