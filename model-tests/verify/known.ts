/** Reviewed differences between a harness and the specification. Each is a finding about the harness, understood. */
import type { RequirementId } from "../../machines/index.ts";
import type { Finding } from "./tally.ts";

type Pattern = string | RegExp | readonly string[];

export interface KnownDivergence {
  readonly id: string;
  readonly requirement: RequirementId;
  /** What the harness does, in one sentence. */
  readonly summary: string;
  /** Why the specification is right. */
  readonly why: string;
  /**
   * By what it is recognised: the requirement that the comparison names, the action, the state that the specification
   * reaches, the field and its two values.
   */
  readonly matches: readonly {
    readonly requirement: Pattern;
    readonly action: Pattern;
    readonly state?: Pattern;
    readonly field: Pattern;
    readonly expected: Pattern;
    readonly actual: Pattern;
  }[];
  /** A minimal schedule that shows it. */
  readonly schedule: readonly string[];
}

const fits = (pattern: Pattern, text: string): boolean => {
  if (typeof pattern === "string") return pattern === text;
  return pattern instanceof RegExp ? pattern.test(text) : pattern.includes(text);
};

export function knownAs(
  list: readonly KnownDivergence[],
  { action, state, mismatch }: Finding,
): KnownDivergence | undefined {
  return list.find(({ matches }) =>
    matches.some(
      (match) =>
        fits(match.requirement, mismatch.requirement) &&
        fits(match.action, action) &&
        fits(match.state ?? state, state) &&
        fits(match.field, mismatch.field) &&
        fits(match.expected, mismatch.expected) &&
        fits(match.actual, mismatch.actual),
    ),
  );
}
