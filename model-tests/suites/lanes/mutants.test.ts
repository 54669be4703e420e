/** The suite of two lanes can fail: it catches faults that let one lane reach the other. */
import { describe, expect, test } from "vitest";
import { laneBounds } from "../../../machines/index.ts";
import { seededOrder } from "../../verify/coverage.ts";
import { withMutant } from "../mutants/mutant.ts";
import { driveSessions } from "./batch.ts";
import { laneFaults } from "./faults.ts";
import { exploreSession } from "./graph.ts";
import { planOf } from "./plan.ts";

const graph = exploreSession(laneBounds);
const schedules = seededOrder(planOf("reference", graph), 1);
const batchSize = 25;

describe("deliberate faults that let one lane reach the other are caught", () => {
  test.each(laneFaults.map((fault) => [fault.id, fault.title, fault] as const))(
    "%s: %s",
    async (_id, _title, fault) => {
      const caught = await withMutant(fault, async (subject) => {
        for (let at = 0; at < schedules.length; at += batchSize) {
          const { divergences } = await driveSessions(subject, graph, schedules.slice(at, at + batchSize));
          const [shortest] = [...divergences.values()].sort((a, b) => a.schedule.length - b.schedule.length);
          if (shortest !== undefined) return shortest.mismatch;
        }
        return undefined;
      });

      expect(caught, "the fault survives every schedule").toBeDefined();
      expect(fault.breaks).toContain(caught?.requirement);
    },
  );
});
