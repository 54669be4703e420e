/** Answers that come after their drive has stopped. */
import { beforeAll, describe, expect, test } from "vitest";
import { boundsByName } from "../../machines/index.ts";
import { explore, type Graph } from "../explore/graph.ts";
import { assertPath, exploringMs } from "../testing/graphs.ts";
import { lateAnswers } from "./late-answers.ts";
import { roadsOf } from "./race-schedules.ts";
import type { Schedule } from "./schedule.ts";

let small: Graph;
let schedules: readonly Schedule[];
beforeAll(() => {
  small = explore(boundsByName.small);
  schedules = lateAnswers(roadsOf(small, new Set(), new Set()));
}, exploringMs);

describe("late answers", () => {
  test("[K1] [K2] [K3] follow a close, a fault and a finalization", () => {
    const stops = new Set(schedules.map(({ edges }) => small.nodes[edges.at(-2)?.to ?? 0]?.path));

    expect([...stops]).toEqual(expect.arrayContaining(["closed", "faulted", "up.finalized"]));
  });

  test("[K1] one comes after a close that follows a finalization: its end stood behind the answer", () => {
    const places = schedules.map(({ edges }) => {
      const stop = edges.at(-2);
      return `${small.nodes[stop?.from ?? 0]?.path} ${stop?.action} ${small.nodes[stop?.to ?? 0]?.expected.parked}`;
    });

    expect(places).toContain("up.finalized close listener");
  });

  test("each is a path, and the late answer is its end", () => {
    for (const { edges } of schedules) {
      assertPath(edges);
      expect(edges.at(-1)?.event.type).toBe("late");
    }
  });
});
