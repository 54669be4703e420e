/** Compares all that a store holds with the interpreter, after a reopen: what landed is there, and nothing else (R5). */
import { isDeepStrictEqual } from "node:util";
import type { Storage } from "../../src/index.ts";
import type { Interpreter } from "../world/interpreter.ts";
import { compareStore } from "../world/read-back.ts";
import type { Place } from "./places.ts";

/**
 * Throws an error that names the first place where the reopened store and the landed transactions differ.
 *
 * @param places every value and list that may be there.
 */
export async function compareWhole(store: Storage, durable: Interpreter, places: Iterable<Place>): Promise<void> {
  await compareStore(store, durable, [...places]);
  const entries = await store.scanEntries({});
  same("entries", entries.length, durable.entries.length);
  for (const [at, { id, parentId, ...rest }] of entries.entries()) {
    const replayed = durable.entries[at];
    same(`entry ${at + 1}`, [id, parentId], [replayed?.id, replayed?.parentId]);
    same(`entry ${id}`, "message" in rest ? rest.message : null, replayed?.message.value);
  }
  const usage = await store.scanUsage({});
  same("usage rows", usage.length, durable.usage.length);
  for (const [at, row] of usage.entries()) {
    const replayed = durable.usage[at];
    same(
      `usage row ${row.id}`,
      [row.id, row.entryId, row.usage],
      [replayed?.id, replayed?.entryId, replayed?.usage.value],
    );
  }
}

function same(where: string, stored: unknown, landed: unknown): void {
  if (isDeepStrictEqual(stored, landed)) return;
  throw new Error(`R5: the reopened store and the landed transactions differ at ${where}`);
}
