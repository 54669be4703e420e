/** The options of a read of a list: defaults and limits (A6). */

import { requireOneOf, takenCursor } from "./checks.ts";

/** One page of a list, by exclusive sequence cursor (A6). */
export interface ListReadOptions {
  cursor?: { seq: number };
  /** Default: asc. */
  order?: "asc" | "desc";
  /** Default 1,000; more than 10,000 means 10,000. */
  limit?: number;
}

export interface ResolvedListReadOptions {
  cursor?: { seq: number };
  order: "asc" | "desc";
  limit: number;
}

const defaultLimit = 1_000;
const greatestLimit = 10_000;

/** Applies the defaults and the clamp. @throws {TypeError} when the limit is no positive safe integer, or a part makes no sense (A6). */
export function resolveListReadOptions(options: ListReadOptions = {}): ResolvedListReadOptions {
  const { cursor, order = "asc", limit = defaultLimit } = options;
  requireOneOf("order", order, ["asc", "desc"]);
  if (!Number.isSafeInteger(limit) || limit < 1) {
    throw new TypeError(`A list limit must be a positive safe integer, not ${limit}`);
  }
  return { order, limit: Math.min(limit, greatestLimit), ...takenCursor(cursor) };
}
