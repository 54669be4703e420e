/** Drives schedules on a copy of `src/` with one fault in it until the checker has caught it. */
import { races } from "../../../machines/index.ts";
import { contentNames } from "../../contents/catalogue.ts";
import type { Graph } from "../../explore/graph.ts";
import { anotherTurns } from "../../generate/another-turn.ts";
import { planRace, roadsOf } from "../../generate/race-schedules.ts";
import type { Schedule } from "../../generate/schedule.ts";
import { wholeStreams } from "../../generate/whole-streams.ts";
import { driveBatch } from "../../verify/batch.ts";
import { coverageTours, seededOrder } from "../../verify/coverage.ts";
import { labelsOf } from "../../verify/labels.ts";
import { minimise } from "../../verify/minimise.ts";
import type { Divergence } from "../../verify/tally.ts";
import type { Fault } from "./fault.ts";
import { withMutant } from "./mutant.ts";

/** What the checker said about a fault. */
export interface Catch {
  readonly divergence: Divergence;
  /** The shortest schedule found that shows it. */
  readonly schedule: readonly string[];
  /** Schedules driven until the first divergence. */
  readonly schedulesDriven: number;
  readonly durationMs: number;
}

/** Everything a default verification drives, in a fixed order that mixes coverage and races. */
export function campaignSchedules(graph: Graph): readonly Schedule[] {
  const roads = roadsOf(graph, new Set(), new Set());
  const ofRaces = races.flatMap((race) => planRace(race, roads).schedules);
  const { schedules } = coverageTours(graph, "transitions");
  return seededOrder(
    [...schedules, ...ofRaces, ...anotherTurns(roads), ...wholeStreams(roads, contentNames.keys())],
    1,
  );
}

const batchSize = 25;

/** @returns what was caught, or `undefined` when every schedule passed: the fault survives. */
export async function catchFault(
  fault: Fault,
  graph: Graph,
  schedules: readonly Schedule[],
): Promise<Catch | undefined> {
  const startedMs = performance.now();
  return withMutant(fault, async (subject) => {
    for (let at = 0; at < schedules.length; at += batchSize) {
      const tally = await driveBatch(subject, graph, schedules.slice(at, at + batchSize));
      const [divergence] = [...tally.divergences.values()].sort((a, b) => a.schedule.length - b.schedule.length);
      if (divergence === undefined) continue;
      const path = await minimise(subject, graph, divergence);
      return {
        divergence,
        schedule: labelsOf(graph, path),
        schedulesDriven: at + batchSize,
        durationMs: performance.now() - startedMs,
      };
    }
    return undefined;
  });
}
