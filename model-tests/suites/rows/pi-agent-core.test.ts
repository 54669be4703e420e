/** The harness of pi-agent-core, row by row and transition by transition, with its listed divergences. */
import { beforeAll, describe, expect, test } from "vitest";
import { boundsFor, races } from "../../../machines/index.ts";
import { piDivergences } from "../../adapters/pi-agent-core/divergences.ts";
import { contentNames } from "../../contents/catalogue.ts";
import { run } from "../../drive/run.ts";
import { explore } from "../../explore/graph.ts";
import { divergencesOf } from "../../verify/judge-run.ts";
import { knownAs } from "../../verify/known.ts";
import { edgesOf } from "../../verify/labels.ts";
import { verifyDefaults } from "../../verify/options.ts";
import type { Report } from "../../verify/report.ts";
import { loadSubject } from "../../verify/subject.ts";
import { verify } from "../../verify/verify.ts";

describe("pi-agent-core 0.87.1", () => {
  const graph = explore(boundsFor("small", "harness"));
  let report: Report;
  beforeAll(async () => {
    report = await verify({ ...verifyDefaults, sut: "pi-agent-core", bounds: "small" });
  });

  test.each(races.map(({ id, title }) => [id, title]))("%s %s holds, or fails by a listed divergence only", (id) => {
    const row = report.races.find((race) => race.id === id);
    expect(["holds", "fails (known)"]).toContain(row?.status);
    for (const order of row?.orders ?? []) expect(order.schedules).toBeGreaterThan(0);
  });

  test.each(piDivergences.map((entry) => [entry.id, entry.requirement, entry] as const))(
    "%s [%s] shows on the schedule that its entry names",
    async (id, _requirement, { schedule, leftOut = [] }) => {
      const subject = await loadSubject({ sut: "pi-agent-core", store: "memory" });
      const edges = edgesOf(graph, schedule);
      const [content] = leftOut.map((name) => ({ content: contentNames.indexOf(name) }));
      const whole = { adapter: subject.adapter, newStore: () => subject.newStore() };
      const result = await run(whole, graph, edges, content);
      const shown = divergencesOf({ graph, schedule: { edges }, result });
      const divergence = shown.find((found) => knownAs(piDivergences, found)?.id === id);
      expect(divergence?.schedule).toHaveLength(schedule.length);
    },
  );

  test("shows no divergence that is not listed, and every one that is", () => {
    expect(report.divergences.filter(({ known }) => !known)).toEqual([]);
    // What only its own schedule streams is driven at default bounds.
    const driven = piDivergences.filter(({ leftOut = [] }) => leftOut.length === 0);
    expect(new Set(report.divergences.map(({ id }) => id))).toEqual(new Set(driven.map(({ id }) => id)));
  });

  test("violates no invariant but where a listed divergence says so, and checks each", () => {
    for (const { id, premiseHeld } of report.invariants) expect([id, premiseHeld > 0]).toEqual([id, true]);
    const listed = piDivergences.flatMap(({ matches }) =>
      matches.flatMap(({ field, expected }) => (field === "invariant" ? [expected] : [])),
    );
    expect(report.invariants.filter(({ title, violated }) => violated > 0 && !listed.includes(title))).toEqual([]);
  });
});
