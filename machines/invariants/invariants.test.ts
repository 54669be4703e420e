/**
 * Each invariant is tried on histories made by hand, so that whoever adds one sees what it accepts,
 * refuses and passes over.
 */
import { describe, expect, test } from "vitest";
import type { History } from "../history.ts";
import { requirements } from "../requirements.ts";
import { cases } from "../testing/invariant-cases/all.ts";
import type { Cases } from "../testing/invariant-cases/cases.ts";
import { invariants } from "./invariants.ts";

const names = (kind: "good" | "bad") =>
  invariants.flatMap((invariant) =>
    Object.keys(cases[invariant.id]?.[kind] ?? {}).map((name) => [invariant.id, name, invariant] as const),
  );

describe("invariants", () => {
  test("every invariant has hand-made histories, and no histories are left over", () => {
    const complete = invariants.filter(({ id }) => {
      const own = cases[id];
      return own !== undefined && Object.keys(own.good).length > 0 && Object.keys(own.bad).length > 0;
    });

    expect(complete.map(({ id }) => id)).toEqual(invariants.map(({ id }) => id));
    expect(Object.keys(cases).sort()).toEqual(invariants.map(({ id }) => id).sort());
  });

  test("every invariant serves one requirement, and no two the same", () => {
    const ids = invariants.map(({ id }) => id);

    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(requirements).toHaveProperty(id);
  });

  test.each(names("good"))("[%s] accepts: %s", (id, name, invariant) => {
    const judgement = invariant.judge(cases[id]?.good[name] as History);

    expect(judgement.violations).toEqual([]);
    expect(judgement.premiseHeld).toBeGreaterThan(0);
  });

  test.each(names("bad"))("[%s] refuses, and names the step: %s", (id, name, invariant) => {
    const bad = cases[id]?.bad[name] as Cases["bad"][string];

    const judgement = invariant.judge(bad.history);

    expect(judgement.violations).toEqual([{ step: bad.step, what: expect.stringMatching(/\w+ \w+/) }]);
    expect(judgement.premiseHeld).toBeGreaterThan(0);
  });

  test.each(invariants.map((invariant) => [invariant.id, invariant] as const))(
    "[%s] has nothing to say where its premise does not hold",
    (id, invariant) => {
      const without = cases[id]?.without as History;

      expect(invariant.judge(without)).toEqual({ premiseHeld: 0, violations: [] });
      expect(invariant.judge([])).toEqual({ premiseHeld: 0, violations: [] });
    },
  );
});
