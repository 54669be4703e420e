/** Scripts read the JSON report: its fields stay. */
import { expect, test } from "vitest";
import { fails } from "../testing/sample-reports.ts";
import type { VerifyLayout } from "./reporter.ts";
import { printed } from "./reporters.ts";

const plain: VerifyLayout = { colour: false, width: 100, replayCommand: () => undefined };

test("the JSON report keeps every field of its format", () => {
  const report = JSON.parse(printed("json", "verify", fails, plain)) as Record<string, unknown>;
  const figures = { covered: expect.any(Number), total: expect.any(Number), notOffered: expect.any(Number) };
  const number = expect.any(Number);
  const string = expect.any(String);
  expect(report).toMatchObject({
    version: 1,
    sut: { name: string, version: string },
    store: string,
    criterion: string,
    seed: number,
    bounds: expect.any(Object),
    model: { states: number, transitions: number, exploreMs: number, generateMs: number },
    schedules: number,
    steps: number,
    stepsLowerBound: number,
    durationMs: number,
    stepsPerSecond: number,
    coverage: { states: figures, transitions: figures, pairs: figures },
    passed: false,
  });
  const [race] = report.races as unknown[];
  const orders = [1, 2].map(() => ({ first: string, second: string, schedules: number, failed: number }));
  expect(race).toMatchObject({
    id: "R1",
    title: string,
    kind: "choice",
    enablingStates: number,
    orders,
    crashPoints: number,
    status: "holds",
  });
  const [invariant] = report.invariants as unknown[];
  expect(invariant).toMatchObject({ id: "N1", checked: number, premiseHeld: number, violated: number });
  const [divergence] = report.divergences as unknown[];
  expect(divergence).toMatchObject({
    id: string,
    requirement: "K2",
    race: "R4",
    known: false,
    schedule: ["accept", "land", "fail"],
    expected: expect.any(Object),
    actual: expect.any(Object),
    stepsLost: number,
    sequenceDiagram: string,
  });
});
