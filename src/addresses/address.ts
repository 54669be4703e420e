/** Names of values and lists in a store: a namespace, a key, and the type of what is kept there (A1). */
declare const stored: unique symbol;

interface Address {
  readonly namespace: string;
  readonly key: string;
}

/** The place of one replaceable value of type `T` (A1). `T` is invariant. */
export interface Value<T> extends Address {
  readonly kind: "value";
  readonly [stored]?: (value: T) => T;
}

/** The place of one append-only list of elements of type `T` (A1). `T` is invariant. */
export interface ValueList<T> extends Address {
  readonly kind: "list";
  readonly [stored]?: (value: T) => T;
}

/** Names one value (A1). @throws {TypeError} when a part is no valid name. */
export function value<T>(namespace: string, key = ""): Value<T> {
  assertAddress(namespace, key);
  return Object.freeze({ namespace, key, kind: "value" as const });
}

/** Names one list (A1). @throws {TypeError} when a part is no valid name. */
export function list<T>(namespace: string, key = ""): ValueList<T> {
  assertAddress(namespace, key);
  return Object.freeze({ namespace, key, kind: "list" as const });
}

function assertAddress(namespace: string, key: string): void {
  if (namespace === "") throw new TypeError("An address needs a namespace");
  assertPart("namespace", namespace);
  assertPart("key", key);
}

const unpairedSurrogate = /\p{Surrogate}/u;

function assertPart(name: string, part: string): void {
  if (part.includes("\u0000")) throw new TypeError(`An address ${name} must not contain \\u0000`);
  // With the u flag a proper pair is one code point, so only a half matches.
  if (unpairedSurrogate.test(part)) throw new TypeError(`An address ${name} must not contain an unpaired surrogate`);
}
