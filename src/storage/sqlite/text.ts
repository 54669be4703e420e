import { frozenCopy } from "../../durable/json.ts";
import { assertDepth } from "../depth.ts";

/**
 * A copy of its own of what a caller gave.
 *
 * @throws {StorageRejected} `too_deep` or `not_json`.
 */
export function contentOf<T>(source: T): T {
  assertDepth(source);
  return frozenCopy(source);
}

/** The JSON text of a value, which holds no U+0000 and no half of a surrogate pair: both are escaped. */
export function toText(source: unknown): string {
  return JSON.stringify(contentOf(source));
}

/** The frozen value of a stored text. */
export function fromText<T>(text: string): T {
  return frozenCopy(JSON.parse(text)) as T;
}
