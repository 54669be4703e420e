/** Finds the reviewed difference that a divergence is, if it is one. */
import type { KnownDivergence, Pattern } from "../adapters/known-divergence.ts";
import type { Divergence } from "./tally.ts";

const fits = (pattern: Pattern, text: string): boolean => {
  if (typeof pattern === "string") return pattern === text;
  return pattern instanceof RegExp ? pattern.test(text) : pattern.includes(text);
};

type Case = KnownDivergence["matches"][number];

const isCase = (match: Case, { action, from, state, mismatch }: Divergence): boolean =>
  fits(match.requirement, mismatch.requirement) &&
  fits(match.action, action) &&
  fits(match.from ?? from, from) &&
  fits(match.state ?? state, state) &&
  fits(match.field, mismatch.field) &&
  fits(match.expected, mismatch.expected) &&
  fits(match.actual, mismatch.actual);

/** @returns the first entry of the list that has a case like this divergence. */
export function knownAs(list: readonly KnownDivergence[], divergence: Divergence): KnownDivergence | undefined {
  return list.find(({ matches }) => matches.some((match) => isCase(match, divergence)));
}

/** What of the list did not occur: the ids of entries, with the number of a case, counted from 1, where an entry has others. */
export function staleIn(list: readonly KnownDivergence[], divergences: readonly Divergence[]): string[] {
  return list.flatMap(({ id, matches }) =>
    matches.flatMap((match, at) => {
      if (divergences.some((divergence) => isCase(match, divergence))) return [];
      return [matches.length === 1 ? id : `${id} (case ${at + 1})`];
    }),
  );
}
