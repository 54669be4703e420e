/** The first place where an implementation and the specification part. */

/** One observed field, what the specification predicts for it and what was seen. */
export interface Mismatch {
  /** The requirement that the field serves. */
  readonly requirement: string;
  readonly field: string;
  readonly expected: string;
  readonly actual: string;
}

export const mismatch = (requirement: string, field: string, expected: unknown, actual: unknown): Mismatch => ({
  requirement,
  field,
  expected: text(expected),
  actual: text(actual),
});

const text = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? "undefined"));
