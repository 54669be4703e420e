/** Finds out how much of what a killed process handed over is in the file, and that it is a whole prefix (R5, A13). */
import { list, type Storage, value } from "../../src/index.ts";
import { Places } from "../stores/places.ts";
import { compareWhole } from "../stores/read-whole.ts";
import type { Offered } from "./child-process.ts";
import type { Committed } from "./committed.ts";
import { ensure, Loss } from "./loss.ts";

export interface Prefix {
  readonly acknowledged: number;
  /** Landed, though the process was not told. */
  readonly unacknowledged: number;
}

/**
 * Adds to `committed` what has landed of `offered`.
 *
 * @throws {Loss} when an acknowledged transaction is missing, or anything is half there.
 */
export async function findPrefix(store: Storage, committed: Committed, offered: readonly Offered[]): Promise<Prefix> {
  const acknowledged = offered.findLastIndex(({ seqs }) => seqs !== undefined) + 1;
  const newest = await newestNumber(store, committed, offered);
  let landed = 0;
  // A number that the store holds was given to the first transaction that reaches it: all up to there must be whole.
  for (const { writes, seqs } of offered) {
    if (newest <= committed.lastSeq) break;
    committed.add(writes, seqs ?? committed.numbersOf(writes));
    landed++;
  }
  const lost = offered[landed];
  if (landed < acknowledged && lost !== undefined) {
    const kind = committed.kindOf(lost.writes);
    throw new Loss(
      `transaction ${landed + 1} of ${offered.length} (${kind}) is not there, though ${acknowledged} were acknowledged`,
    );
  }
  ensure(newest <= committed.lastSeq, `the store holds number ${newest}, which no transaction was ever given`);
  try {
    await compareWhole(store, committed.durable, committed.places);
  } catch (error) {
    throw new Loss(
      `${landed} of ${offered.length} transactions have landed, ${acknowledged} were acknowledged, and not all of it is whole: ${(error as Error).message}`,
    );
  }
  return { acknowledged, unacknowledged: landed - acknowledged };
}

/** The greatest sequence number of anything that the store holds. */
async function newestNumber(store: Storage, committed: Committed, offered: readonly Offered[]): Promise<number> {
  const places = new Places();
  places.add([...committed.places, ...offered.flatMap(({ writes }) => writes)]);
  const newest = { order: "desc", limit: 1 } as const;
  const found: { readonly seq: number }[] = [...(await store.scanEntries(newest)), ...(await store.scanUsage(newest))];
  const namespaces = new Set<string>();
  for (const { kind, namespace, key } of places) {
    if (kind === "value") namespaces.add(namespace);
    else found.push(...(await store.readList(list(namespace, key), newest)));
  }
  for (const namespace of namespaces) found.push(...(await store.scanValues(value(namespace))));
  return found.reduce((most, { seq }) => Math.max(most, seq), 0);
}
