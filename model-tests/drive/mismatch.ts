/** The first place where an implementation and the specification part. */

import type { RequirementId } from "../../machines/index.ts";
import type { ComparedField, RequirementOf } from "./comparisons.ts";

/** One observed field, what the specification predicts for it and what was seen. */
export interface Mismatch {
  /** The requirement that the field serves. */
  readonly requirement: RequirementId;
  readonly field: string;
  readonly expected: string;
  readonly actual: string;
}

/** A registered comparison that has failed. */
export const mismatch = <F extends ComparedField>(
  requirement: RequirementOf<F>,
  field: F,
  expected: unknown,
  actual: unknown,
): Mismatch => broken(requirement, field, expected, actual);

/** A rule that is no comparison of a field at a step: an invariant, a required result of a row, an anomaly. */
export const broken = (requirement: RequirementId, rule: string, expected: unknown, actual: unknown): Mismatch => ({
  requirement,
  field: rule,
  expected: text(expected),
  actual: text(actual),
});

const longest = 240;

/** A value as a reader can take it in: a long one by its ends and its length, which tell most differences. */
function text(value: unknown): string {
  const whole = typeof value === "string" ? value : (JSON.stringify(value) ?? "undefined");
  if (whole.length <= longest) return whole;
  return `${whole.slice(0, longest / 2)} … ${whole.slice(-longest / 4)} (${whole.length} characters)`;
}
