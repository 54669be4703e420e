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

const longest = 240;

/** A value as a reader can take it in: a long one by its ends and its length, which tell most differences. */
function text(value: unknown): string {
  const whole = typeof value === "string" ? value : (JSON.stringify(value) ?? "undefined");
  if (whole.length <= longest) return whole;
  return `${whole.slice(0, longest / 2)} … ${whole.slice(-longest / 4)} (${whole.length} characters)`;
}
