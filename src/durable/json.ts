/** What counts as JSON here, and the frozen copy that every store and listener is given (A8, J4). */
import { StorageRejected } from "../errors.ts";

/** A value that every store keeps unchanged. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

/**
 * A deep, frozen copy with the meaning that JSON gives the value: members that are `undefined` are left out and minus
 * zero is zero. What JSON would silently change (functions, dates, NaN) is refused, so that all stores agree (A8) and
 * nobody can change state through what they were given (J4).
 */
export function frozenCopy<T>(source: T): T {
  return copy(source) as T;
}

/** A deep copy of JSON that may be changed. Its texts are shared. */
export function jsonCopy<T>(source: T): T {
  if (typeof source !== "object" || source === null) return source;
  if (Array.isArray(source)) return source.map(jsonCopy) as T;
  const result: Record<string, unknown> = {};
  for (const key of Object.keys(source)) {
    const member = jsonCopy((source as Record<string, unknown>)[key]);
    if (key === "__proto__") defineOwn(result, key, member);
    else result[key] = member;
  }
  return result as T;
}

function copy(source: unknown): unknown {
  if (source === null || typeof source === "string" || typeof source === "boolean") return source;
  if (typeof source === "number") return copyNumber(source);
  if (typeof source !== "object") throw notJson(typeof source);
  return Array.isArray(source) ? copyArray(source) : copyObject(source);
}

function copyArray(source: readonly unknown[]): readonly unknown[] {
  const result: unknown[] = [];
  for (const member of source) result.push(copy(member));
  return Object.freeze(result);
}

function copyNumber(source: number): number {
  if (!Number.isFinite(source)) throw notJson(String(source));
  return source === 0 ? 0 : source;
}

function copyObject(source: object): object {
  const prototype = Object.getPrototypeOf(source);
  if (prototype !== Object.prototype && prototype !== null) throw notJson(source.constructor?.name ?? "object");
  const result: Record<string, unknown> = {};
  for (const key of Object.keys(source)) {
    const member = (source as Record<string, unknown>)[key];
    if (member === undefined) continue;
    if (key === "__proto__") defineOwn(result, key, copy(member));
    else result[key] = copy(member);
  }
  return Object.freeze(result);
}

/** Plain assignment to `__proto__` would change the prototype instead of making a member. */
function defineOwn(target: object, key: string, member: unknown): void {
  Object.defineProperty(target, key, { value: member, enumerable: true, configurable: true, writable: true });
}

function notJson(what: string): StorageRejected {
  return new StorageRejected("not_json", `A durable value must be JSON, but holds ${what}`);
}
