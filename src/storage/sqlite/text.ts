/** JSON texts as the tables hold them, and back. */
import { frozenCopy } from "../../durable/json.ts";
import { assertDepth, greatestDepth } from "../admission/depth.ts";

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

/**
 * The frozen value of a stored text.
 *
 * @throws {SyntaxError | TypeError | StorageRejected} when {@link toText} did not make it.
 */
export function fromText<T>(text: string): T {
  // In a damaged file a column may hold anything.
  if (typeof text !== "string") throw new TypeError("a text is missing");
  const content = JSON.parse(text) as T;
  // Each level takes two characters.
  if (text.length > 2 * greatestDepth) assertDepth(content);
  return frozenCopy(content);
}
