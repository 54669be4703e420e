/** Schedules that are contained in longer ones are not driven twice. */
import { expect, test } from "vitest";
import { toyGraph } from "../testing/graphs.ts";
import { mergePrefixes } from "./merge.ts";
import type { RacePurpose, Schedule } from "./schedule.ts";

const { edges } = toyGraph(4, [
  [0, 1],
  [1, 2],
  [2, 3],
  [1, 3],
]);
const path = (...indices: number[]): Schedule["edges"] => indices.map((at) => edges[at] as (typeof edges)[number]);
const row = (id: string, length: number): RacePurpose => ({
  id,
  order: 0,
  begins: 0,
  pair: 1,
  length,
  disturbance: undefined,
});
const ids = ({ races = [] }: Schedule): string[] => races.map(({ id }) => id);

test("a schedule that another one continues is judged on the longer run", () => {
  const merged = mergePrefixes([
    { edges: path(0, 1), races: [row("R1", 2)] },
    { edges: path(0, 1, 2), races: [row("R2", 3)] },
  ]);

  expect(merged.map((schedule) => schedule.edges)).toEqual([path(0, 1, 2)]);
  expect(merged.flatMap(({ races = [] }) => races)).toEqual([row("R1", 2), row("R2", 3)]);
});

test("a beginning that several continue is judged once, and equal schedules are driven once", () => {
  const merged = mergePrefixes([
    { edges: path(0, 1, 2) },
    { edges: path(0, 3) },
    { edges: path(0), races: [row("R1", 1)] },
    { edges: path(0, 3), races: [row("R3", 2)] },
  ]);

  expect(merged.map((schedule) => [schedule.edges, ids(schedule)])).toEqual([
    [path(0, 1, 2), ["R1"]],
    [path(0, 3), ["R3"]],
  ]);
});

test("a schedule that crashes inside its last step is left alone", () => {
  const crashed: Schedule = { edges: path(0), inside: { commit: 0, landed: true } };

  expect(mergePrefixes([crashed, { edges: path(0, 1) }])).toEqual([crashed, { edges: path(0, 1) }]);
});
