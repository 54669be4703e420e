/** Finds the reviewed difference that a divergence is, if it is one. */
import type { KnownDivergence, Pattern } from "../adapters/known-divergence.ts";
import type { Divergence } from "./tally.ts";

const fits = (pattern: Pattern, text: string): boolean => {
  if (typeof pattern === "string") return pattern === text;
  return pattern instanceof RegExp ? pattern.test(text) : pattern.includes(text);
};

export function knownAs(
  list: readonly KnownDivergence[],
  { action, state, mismatch }: Divergence,
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
