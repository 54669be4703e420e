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
  const defect = addressDefect(namespace, key);
  if (defect !== undefined) throw new TypeError(`An address is malformed: ${defect}`);
}

/** What is wrong with the name of a place, or `undefined` (A1). */
export function addressDefect(namespace: string, key: string): string | undefined {
  if (namespace === "") return "its namespace is empty";
  return partDefect("namespace", namespace) ?? partDefect("key", key);
}

const unpairedSurrogate = /\p{Surrogate}/u;

function partDefect(name: string, part: string): string | undefined {
  if (part.includes("\u0000")) return `its ${name} contains \\u0000`;
  // With the u flag a proper pair is one code point, so only a half matches.
  return unpairedSurrogate.test(part) ? `its ${name} contains an unpaired surrogate` : undefined;
}
