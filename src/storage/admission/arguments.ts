/** Takes the arguments of a store's calls as they are at the call, and refuses wrong ones, alike in every store (A8). */
import { requireNumber, requireObject, requireOneOf, requireText, takenCursor } from "../contract/checks.ts";
import type { BranchScan, Durability, EntryScan, UsageScan } from "../contract/storage.ts";

interface Address {
  readonly namespace: string;
  readonly key: string;
}

/** @throws {TypeError} when a session cannot have that durability. */
export function requireDurability(durability: Durability): void {
  requireOneOf("durability", durability, ["process", "power"]);
}

/** The time of a commit. @throws {TypeError} when the clock gives none: whole milliseconds since the epoch. */
export function commitTime(now: () => number): number {
  const time = now();
  if (Number.isSafeInteger(time)) return time;
  throw new TypeError(`The clock of a store must give whole milliseconds since the epoch, not ${String(time)}`);
}

/** The address as it is now. @throws {TypeError} when it is none. */
export function takenAddress<T extends Address>(address: T): T {
  requireObject("address", address);
  requireText("namespace", address.namespace);
  requireText("key", address.key);
  return Object.isFrozen(address) ? address : Object.freeze({ ...address });
}

/** The ids as they are now. @throws {TypeError} */
export function takenIds(ids: readonly string[]): string[] {
  if (!Array.isArray(ids)) throw new TypeError("The ids must be an array");
  for (const id of ids) requireText("id", id);
  return [...ids];
}

/** The scan as it is now. @throws {TypeError} when a part makes no sense. */
export function takenScan<T extends EntryScan | UsageScan>(query: T): T {
  requireObject("scan", query);
  const { fromSeq, toSeq, order, type, customType } = query as EntryScan;
  requireOneOf("order", order, [undefined, "asc", "desc"]);
  if (fromSeq !== undefined) requireNumber("fromSeq", fromSeq);
  if (toSeq !== undefined) requireNumber("toSeq", toSeq);
  return withFilters(query, type, customType);
}

/** The walk as it is now. @throws {TypeError} when a part makes no sense. */
export function takenWalk(query: BranchScan): BranchScan {
  requireObject("scan", query);
  const { start, stopAtId, stopAtType, order, cursor, type, customType } = query;
  requireText("start", start);
  if (stopAtId !== undefined) requireText("stopAtId", stopAtId);
  if (stopAtType !== undefined) requireText("stopAtType", stopAtType);
  requireOneOf("order", order, [undefined, "newestFirst", "oldestFirst"]);
  return { ...withFilters(query, type, customType), ...takenCursor(cursor) };
}

function withFilters<T extends { limit?: number }>(query: T, type: unknown, customType: unknown): T {
  const { limit } = query;
  if (limit !== undefined) requireNumber("limit", limit);
  if (type !== undefined) requireText("type", type);
  if (customType !== undefined) requireText("customType", customType);
  return { ...query };
}
