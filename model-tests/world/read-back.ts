/** Compares the store with the interpreter at every place that a transaction touched (sections A3 to A7). */

import { list, type Storage, value, type Write } from "../../src/index.ts";
import { AnomalyFound } from "./anomalies.ts";
import type { Interpreter, Replayed } from "./interpreter.ts";

/** Throws an error that names the first place where the store and the replayed transactions differ. */
export async function compareStore(store: Storage, durable: Interpreter, writes: readonly Write[]): Promise<void> {
  for (const write of writes) {
    switch (write.kind) {
      case "value": {
        const stored = (await store.getValue(value(write.namespace, write.key)))?.value;
        same(stored, durable.replayed(write.namespace, write.key), `value ${write.namespace} ${write.key}`);
        break;
      }
      case "list": {
        const stored = await store.readList(list(write.namespace, write.key), { limit: 10_000 });
        const replayed = durable.list(write.namespace, write.key);
        const where = `list ${write.namespace} ${write.key}`;
        if (stored.length !== replayed.length) differ(`${where}: ${stored.length} elements, not ${replayed.length}`);
        stored.forEach(({ seq, value: element }, at) => {
          if (seq !== replayed[at]?.seq) differ(`${where}: sequence number of element ${at + 1}`);
          same(element, replayed[at]?.element, `${where}: element ${at + 1}`);
        });
        break;
      }
      case "entry": {
        const stored = (await store.getEntries([write.entry.id])).get(write.entry.id);
        const message = stored !== undefined && "message" in stored ? stored.message : undefined;
        const replayed = durable.entries.findLast(({ id }) => id === write.entry.id);
        if (stored?.parentId !== replayed?.parentId) differ(`parent of entry ${write.entry.id}`);
        same(message, replayed?.message, `entry ${write.entry.id}`);
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

function same(stored: unknown, replayed: Replayed | undefined, where: string): void {
  if (stored === undefined ? replayed !== undefined : !equal(stored, replayed?.value)) differ(where);
}

/** Whether two JSON values would be the same text, the order of members included. */
function equal(stored: unknown, replayed: unknown): boolean {
  if (typeof stored !== "object" || stored === null) return Object.is(stored, replayed);
  if (typeof replayed !== "object" || replayed === null) return false;
  if (Array.isArray(stored) !== Array.isArray(replayed)) return false;
  const keys = Object.keys(stored);
  const expected = Object.keys(replayed);
  return (
    keys.length === expected.length &&
    keys.every((key, at) => key === expected[at] && equal(member(stored, key), member(replayed, key)))
  );
}

const member = (of: object, key: string): unknown => (of as Record<string, unknown>)[key];

function differ(where: string): never {
  throw new AnomalyFound("the store and the replayed transactions differ", where);
}
