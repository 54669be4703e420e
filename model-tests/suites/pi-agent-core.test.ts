import { beforeAll, describe, expect, it } from "vitest";
import { races } from "../../machines/index.ts";
import { piDivergences } from "../adapters/pi-divergences.ts";
import type { Report } from "../verify/report.ts";
import { verify, verifyDefaults } from "../verify/verify.ts";

describe("pi-agent-core 0.87.1", () => {
  let report: Report;
  beforeAll(async () => {
    report = await verify({ ...verifyDefaults, sut: "pi-agent-core", bounds: "small" });
  });

  it.each(races.map(({ id, title }) => [id, title]))("%s %s holds, or fails by a listed divergence only", (id) => {
    const row = report.races.find((race) => race.id === id);
    expect(["holds", "fails (known)"]).toContain(row?.status);
    for (const order of row?.orders ?? []) expect(order.schedules).toBeGreaterThan(0);
  });

  it("shows no divergence that is not listed, and every one that is", () => {
    expect(report.divergences.filter(({ known }) => !known)).toEqual([]);
    expect(new Set(report.divergences.map(({ id }) => id))).toEqual(new Set(piDivergences.map(({ id }) => id)));
  });

  it("violates no invariant but where a listed divergence says so, and checks each", () => {
    for (const { id, premiseHeld } of report.invariants) expect([id, premiseHeld > 0]).toEqual([id, true]);
    const listed = piDivergences.flatMap(({ matches }) =>
      matches.flatMap(({ field, expected }) => (field === "invariant" ? [expected] : [])),
    );
    expect(report.invariants.filter(({ title, violated }) => violated > 0 && !listed.includes(title))).toEqual([]);
  });
});
