/** Checks of arguments that the calls of a store share (A8). */

/** The cursor as it is now. @throws {TypeError} when it names no number. */
export function takenCursor(cursor: { seq: number } | undefined): { cursor?: { seq: number } } {
  if (cursor === undefined) return {};
  requireObject("cursor", cursor);
  requireWhole("cursor.seq", cursor.seq);
  return { cursor: { seq: cursor.seq } };
}

/** @throws {TypeError} when `given` is none of these. */
export function requireOneOf(name: string, given: unknown, allowed: readonly (string | undefined)[]): void {
  if (allowed.includes(given as string)) return;
  const known = allowed.filter((one) => one !== undefined).map((one) => `"${one}"`);
  throw new TypeError(`The ${name} must be ${known.join(" or ")}`);
}

/** @throws {TypeError} */
export function requireObject(name: string, given: unknown): void {
  if (typeof given !== "object" || given === null) throw new TypeError(`The ${name} must be an object`);
}

/** @throws {TypeError} */
export function requireText(name: string, given: unknown): void {
  if (typeof given !== "string") throw new TypeError(`The ${name} must be a string`);
}

/** @throws {TypeError} */
function requireWhole(name: string, given: unknown): void {
  if (!Number.isSafeInteger(given)) throw new TypeError(`The ${name} must be a safe integer`);
}

/** @throws {TypeError} */
export function requireNumber(name: string, given: unknown): void {
  if (typeof given !== "number" || Number.isNaN(given)) throw new TypeError(`The ${name} must be a number`);
}
