/** The reference on each file store: all rows, with crashes that reopen the files. */
import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { afterAll, describe, expect, test } from "vitest";
import { boundsByName, races } from "../../machines/index.ts";
import { fileStoreNames } from "../../src/index.ts";
import { explore } from "../explore/graph.ts";
import { planRace, roadsOf } from "../generate/race-schedules.ts";
import type { Schedule } from "../generate/schedule.ts";
import { driveBatch } from "../verify/batch.ts";
import { seededOrder } from "../verify/coverage.ts";
import { knownAs } from "../verify/known.ts";
import { loadSubject, type NamedSubject } from "../verify/subject.ts";

const graph = explore(boundsByName.small);
const roads = roadsOf(graph, new Set(), new Set());

/** Of each order of each row, so many schedules that a crash interrupts: after it the next process has the file alone. */
const sampleOfOrder = 3;

const sample: Schedule[] = races.flatMap((race) => {
  const { schedules } = planRace(race, roads, "crash");
  const crashing = schedules.filter(({ edges }) => edges.some(({ event }) => event.type === "crash"));
  return [0, 1].flatMap((order) =>
    seededOrder(
      crashing.filter((schedule) => schedule.races?.some((purpose) => purpose.order === order)),
      1,
    ).slice(0, sampleOfOrder),
  );
});

const subjects: NamedSubject[] = [];
afterAll(() => {
  for (const subject of subjects) subject.dispose();
});

describe.each(fileStoreNames)("on the %s store", (store) => {
  test.each(["reference", "pi-agent-core"])(
    "[R5] [A8] %s holds over crashes after which the next process has the file alone",
    async (sut) => {
      const subject = await loadSubject({ sut, store });
      subjects.push(subject);
      const tally = await driveBatch(subject, graph, sample);
      const unlisted = [...tally.divergences.values()].filter(
        (divergence) => knownAs(subject.known, divergence) === undefined,
      );
      expect(unlisted).toEqual([]);
      expect(tally.schedules).toBe(sample.length);
      // A store is thrown away with its run; the empty one that all begin from stays.
      expect(readdirSync(subject.folder ?? tmpdir())).toEqual(["empty"]);
    },
  );
});

test("the sample crashes in every row", () => {
  expect(sample.length).toBeGreaterThan(races.length * sampleOfOrder);
});
