/** Small writes and reads that the tests of session files share. */
import { list, value } from "../../addresses/address.ts";
import type { NewEntry } from "../../durable/entries.ts";
import type { Storage } from "../../storage/contract/storage.ts";
import { zeroUsage } from "../../storage/contract/usage-totals.ts";
import { insertEntry, insertUsage, type Write } from "../../storage/contract/writes.ts";

export const words = list<string>("test.words");
export const count = value<number>("test.count");

export const note = (id: string, parentId: string | null = null): Write => insertEntry(noteEntry(id, parentId));

const noteEntry = (id: string, parentId: string | null): NewEntry => ({
  id,
  parentId,
  type: "custom",
  customType: "note",
});

export const usage = (id: string): Write =>
  insertUsage({
    id,
    usage: { ...zeroUsage(), input: 1, cost: { ...zeroUsage().cost, total: 0.1 } },
    adjustment: false,
  });

/** Everything that a store holds at the places that tests write to, all of it asked for within the call. */
export async function contentOf(storage: Storage): Promise<unknown> {
  const places = ["test.words", "test.other", "test.count"];
  const [entries, rows, stats, values, lists] = await Promise.all([
    storage.scanEntries({}),
    storage.scanUsage({}),
    storage.getStats(),
    Promise.all(places.map((namespace) => storage.scanValues(value(namespace)))),
    Promise.all(places.map((namespace) => storage.readList(list(namespace), { limit: 10_000 }))),
  ]);
  return { entries, usage: rows, stats, values, lists };
}

/** The lines of a session file, each without its line feed; fails when the last has none. */
export function linesOf(bytes: Uint8Array | undefined): string[] {
  const text = Buffer.from(bytes ?? []).toString("utf8");
  if (!text.endsWith("\n")) throw new Error("The last line has no line feed");
  return text.slice(0, -1).split("\n");
}

/** A promise that a test settles. */
export function deferred<T = void>(): { promise: Promise<T>; resolve(value: T): void; reject(reason: unknown): void } {
  let resolve: (value: T) => void = () => {};
  let reject: (reason: unknown) => void = () => {};
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
