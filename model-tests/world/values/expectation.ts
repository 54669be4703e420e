/** A small language for what a value must be: whole, but for what the specification leaves open. */
import { isDeepStrictEqual } from "node:util";
import type { RequirementId } from "../../../machines/index.ts";

/** JSON that must be equal, with rules in place of what is not known to the letter. */
export type Expectation = Rule | Optional | Cited | Json;
type Json = null | boolean | number | string | readonly Expectation[] | { readonly [member: string]: Expectation };

/** Holds of some values; `says` which. */
class Rule {
  readonly says: string;
  readonly holds: (actual: unknown) => boolean;

  constructor(says: string, holds: (actual: unknown) => boolean) {
    this.says = says;
    this.holds = holds;
  }
}

/** May be left out. */
class Optional {
  readonly value: Expectation;

  constructor(value: Expectation) {
    this.value = value;
  }
}

/** Speaks for another requirement than what is around it. */
class Cited {
  readonly requirement: RequirementId;
  readonly value: Expectation;

  constructor(requirement: RequirementId, value: Expectation) {
    this.requirement = requirement;
    this.value = value;
  }
}

export const rule = (says: string, holds: (actual: unknown) => boolean): Expectation => new Rule(says, holds);
/** The specification does not say what it is; `why` it may be anything. */
export const free = (why: string): Expectation => new Optional(new Rule(`free: ${why}`, () => true));
export const optional = (value: Expectation): Expectation => new Optional(value);
export const cite = (requirement: RequirementId, value: Expectation): Expectation => new Cited(requirement, value);
/** Exactly this JSON. */
export const exactly = (value: unknown): Expectation =>
  new Rule("as it stands", (actual) => isDeepStrictEqual(withoutUndefined(actual), withoutUndefined(value)));

/** A member that is `undefined` is none, as in JSON. Other values that JSON would change stay what they are. */
function withoutUndefined(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutUndefined);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutUndefined(member)]));
}

export const oneOf = (...values: readonly Expectation[]): Expectation =>
  new Rule(`one of ${values.length}`, (actual) =>
    values.some((value) => judge(value, actual, { requirement: "A2", path: "" }) === undefined),
  );
export const text = (says: string, fits: (actual: string) => boolean = (actual) => actual !== ""): Expectation =>
  new Rule(says, (actual) => typeof actual === "string" && fits(actual));

/** A value that is not what it must be. */
export interface Wrong {
  readonly requirement: RequirementId;
  readonly path: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

/** A wrong value, with the kind of thing that it is a part of. */
export interface WrongAt extends Wrong {
  readonly place: string;
}

interface Where {
  readonly requirement: RequirementId;
  readonly path: string;
}

/** @returns the first place where `actual` is not as expected, under the requirement that says what it must be. */
export function judge(expected: Expectation, actual: unknown, where: Where): Wrong | undefined {
  if (expected instanceof Cited) return judge(expected.value, actual, { ...where, requirement: expected.requirement });
  if (expected instanceof Optional) return actual === undefined ? undefined : judge(expected.value, actual, where);
  if (expected instanceof Rule) return expected.holds(actual) ? undefined : wrong(expected.says, actual, where);
  if (typeof expected !== "object" || expected === null) {
    return Object.is(actual, expected) ? undefined : wrong(expected, actual, where);
  }
  if (Array.isArray(expected)) return judgeArray(expected, actual, where);
  if (!isObject(actual)) return wrong("an object", actual, where);
  const members = expected as { readonly [member: string]: Expectation };
  return judgeMembers(members, actual, new Set([...Object.keys(members), ...Object.keys(actual)]), where);
}

function judgeArray(expected: readonly Expectation[], actual: unknown, where: Where): Wrong | undefined {
  if (!Array.isArray(actual)) return wrong("an array", actual, where);
  if (actual.length !== expected.length) return wrong(`${expected.length} elements`, actual, where);
  for (const [at, element] of expected.entries()) {
    const found = judge(element, actual[at], { ...where, path: `${where.path}[${at}]` });
    if (found !== undefined) return found;
  }
  return undefined;
}

function judgeMembers(
  expected: { readonly [member: string]: Expectation },
  actual: Readonly<Record<string, unknown>>,
  names: Iterable<string>,
  where: Where,
): Wrong | undefined {
  for (const name of names) {
    const path = `${where.path}.${name}`;
    const value = Object.hasOwn(actual, name) ? actual[name] : undefined;
    if (Object.hasOwn(expected, name)) {
      const found = judge(expected[name] as Expectation, value, { ...where, path });
      if (found !== undefined) return found;
    } else if (value !== undefined) return wrong("absent", value, { ...where, path });
  }
  return undefined;
}

const isObject = (actual: unknown): actual is Readonly<Record<string, unknown>> =>
  typeof actual === "object" && actual !== null && !Array.isArray(actual);

const wrong = (expected: unknown, actual: unknown, { requirement, path }: Where): Wrong => ({
  requirement,
  path,
  expected,
  actual: actual === undefined ? "absent" : actual,
});
