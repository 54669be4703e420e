/** What a listener might do to an event: it is the harness's business that this reaches nobody else (J4). */

/** Stands in everything that was changed. */
export const changeMark = "changed by a listener";

/**
 * Changes `target` and all that hangs on it, as far as it lets itself be changed; never throws. Types, roles and names
 * stay, so that whoever shares the object still knows what it is; what caused an error belongs to whoever threw it.
 */
export function changeWhole(target: object): void {
  const yields = !Object.isFrozen(target);
  for (const key of keysOf(target)) {
    const member = (target as Record<string, unknown>)[key];
    if (isPart(key, member)) changeWhole(member);
    else if (yields && typeof member === "string" && !kept.has(key)) Reflect.set(target, key, changeMark);
  }
  if (!yields) return;
  if (Array.isArray(target)) Reflect.set(target, target.length, changeMark);
  else Reflect.set(target, changeMark, changeMark);
}

/** Whether nothing of `target` can be changed any more, and whether a listener has changed something of it before. */
export function inspect(target: object): { readonly frozen: boolean; readonly changed: boolean } {
  let frozen = Object.isFrozen(target);
  let changed = false;
  for (const key of keysOf(target)) {
    const member = (target as Record<string, unknown>)[key];
    if (key === changeMark || member === changeMark) changed = true;
    if (!isPart(key, member)) continue;
    const part = inspect(member);
    frozen &&= part.frozen;
    changed ||= part.changed;
  }
  return { frozen, changed };
}

const keysOf = (target: object): string[] =>
  target instanceof Error ? Object.getOwnPropertyNames(target) : Object.keys(target);

const isPart = (key: string, member: unknown): member is object =>
  typeof member === "object" && member !== null && key !== "cause";

const kept: ReadonlySet<string> = new Set(["type", "role", "name"]);
