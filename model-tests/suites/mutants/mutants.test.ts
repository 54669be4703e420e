/** The checker can fail: each deliberate fault in the reference is caught by it. */
import { describe, expect, test } from "vitest";
import { boundsByName } from "../../../machines/index.ts";
import { explore } from "../../explore/graph.ts";
import { campaignSchedules, catchFault } from "./campaign.ts";
import { faults } from "./faults.ts";

const graph = explore(boundsByName.default);
const schedules = campaignSchedules(graph);

describe("deliberate faults in src/ are caught", () => {
  test.each(faults.map((fault) => [fault.id, fault.title, fault] as const))("%s: %s", async (_id, _title, fault) => {
    const caught = await catchFault(fault, graph, schedules);
    expect(caught, "the fault survives every schedule").toBeDefined();
    expect(fault.breaks).toContain(caught?.divergence.mismatch.requirement);
    // A counterexample is for people: every one of these fits on a screen. The longest needs two polls and a cancel.
    expect(caught?.schedule.length).toBeLessThanOrEqual(40);
  });
});
