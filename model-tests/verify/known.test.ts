/** A listed divergence is recognised by what it looks like, and hides nothing else. */
import { describe, expect, test } from "vitest";
import type { KnownDivergence } from "../adapters/known-divergence.ts";
import { knownAs, staleIn } from "./known.ts";
import type { Divergence } from "./tally.ts";

const found: Divergence = {
  key: "k",
  action: "stream.end stop",
  from: "effect_pending.streaming",
  state: "effect_pending.after_response",
  mismatch: { requirement: "C5", field: "hook calls", expected: "1", actual: "0" },
  schedule: [1],
  times: 1,
  stepsLost: 0,
  races: new Set(),
};
type Match = KnownDivergence["matches"][number];
const exact: Match = { requirement: "C5", action: "stream.end stop", field: "hook calls", expected: "1", actual: "0" };
const listed = (...matches: Match[]): KnownDivergence[] => [
  { id: "listed", requirement: "C5", summary: "s", why: "w", matches, schedule: [] },
];

describe("a listed divergence is recognised", () => {
  test.each<[string, Match]>([
    ["by five texts", exact],
    ["by one of several actions", { ...exact, action: ["land", "stream.end stop"] }],
    ["by its state too", { ...exact, state: "effect_pending.after_response" }],
    ["by a pattern", { ...exact, action: /^stream\.end /, actual: /^\d+$/ }],
  ])("%s", (_name, match) => {
    expect(knownAs(listed(match), found)?.id).toBe("listed");
  });

  test("when any of its cases matches", () => {
    expect(knownAs(listed({ ...exact, actual: "2" }, exact), found)?.id).toBe("listed");
  });

  test("under the first entry that matches", () => {
    const [one] = listed(exact) as [KnownDivergence];

    expect(knownAs([{ ...one, id: "first" }, one], found)?.id).toBe("first");
  });
});

describe("it is not recognised", () => {
  test.each<[string, Partial<Match>]>([
    ["under another requirement", { requirement: "C6" }],
    ["at another action", { action: "land" }],
    ["at an action that only begins alike", { action: "stream.end" }],
    ["from another state", { from: "effect_pending.settling" }],
    ["in another state", { state: "effect_pending.settling" }],
    ["in another field", { field: "tools calls" }],
    ["with another expectation", { expected: "2" }],
    ["with another value", { actual: ["1", "2"] }],
    ["by a pattern that does not match", { actual: /^none$/ }],
  ])("%s", (_name, change) => {
    expect(knownAs(listed({ ...exact, ...change }), found)).toBeUndefined();
  });

  test("from an empty list, or without cases", () => {
    expect(knownAs([], found)).toBeUndefined();
    expect(knownAs(listed(), found)).toBeUndefined();
  });
});

describe("what did not occur is stale", () => {
  test("as an entry when it has one case", () => {
    expect(staleIn(listed(exact), [])).toEqual(["listed"]);
    expect(staleIn(listed(exact), [found])).toEqual([]);
  });

  test("case by case when it has several: a case that never occurs would hide whatever looks like it", () => {
    expect(staleIn(listed(exact, { ...exact, actual: "2" }), [found])).toEqual(["listed (case 2)"]);
  });
});
