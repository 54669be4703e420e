/** The limit on how deep a durable value may nest, the same in every store (A8). */
import { StorageRejected } from "../../errors.ts";

/** Levels of arrays and objects inside each other; far less than what the recursion of `JSON.stringify` can take. */
export const greatestDepth = 1_000;

/**
 * Refuses a value that nests deeper than {@link greatestDepth}, cycles included. Without a fixed limit the free stack
 * would decide, and what was written once might not be readable later.
 *
 * @throws {StorageRejected} `too_deep`.
 */
export function assertDepth(source: unknown, depth = 0): void {
  if (typeof source !== "object" || source === null) return;
  if (depth === greatestDepth) {
    throw new StorageRejected("too_deep", `A durable value must not nest deeper than ${greatestDepth} levels`);
  }
  if (Array.isArray(source)) for (const member of source) assertDepth(member, depth + 1);
  else for (const key of Object.keys(source)) assertDepth((source as Record<string, unknown>)[key], depth + 1);
}
