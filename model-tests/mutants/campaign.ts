/** Builds a copy of `src/` with one fault in it and drives schedules until the checker has caught it. */
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { races } from "../../machines/index.ts";
import { MemoryStorage } from "../../src/index.ts";
import { type Implementation, referenceAdapterOf } from "../adapters/reference.ts";
import type { Subject } from "../drive/run.ts";
import type { Graph } from "../explore/graph.ts";
import { planRace, roadsOf } from "../generate/race-schedules.ts";
import type { Schedule } from "../generate/schedule.ts";
import { driveBatch } from "../verify/batch.ts";
import { coverageTours, seededOrder } from "../verify/coverage.ts";
import { labelsOf } from "../verify/labels.ts";
import { shrink } from "../verify/shrink.ts";
import type { Finding } from "../verify/tally.ts";
import type { Edit, Fault } from "./faults.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** What the checker said about a fault. */
export interface Catch {
  readonly finding: Finding;
  /** The shortest schedule found that shows it. */
  readonly schedule: readonly string[];
  /** Schedules driven until the first divergence. */
  readonly schedulesDriven: number;
  readonly durationMs: number;
}

/** Thrown when the sources have moved on and an edit fits nowhere, or in several places. */
class StaleFault extends Error {
  override readonly name = "StaleFault";
}

/** Everything a default verification drives, in a fixed order that mixes coverage and races. */
export function campaignSchedules(graph: Graph): readonly Schedule[] {
  const roads = roadsOf(graph, new Set(), new Set());
  const ofRaces = races.flatMap((race) => planRace(race, roads).schedules);
  return seededOrder([...coverageTours(graph, "transitions").schedules, ...ofRaces], 1);
}

const batchSize = 25;

/** @returns what was caught, or `undefined` when every schedule passed: the fault survives. */
export async function catchFault(
  fault: Fault,
  graph: Graph,
  schedules: readonly Schedule[],
): Promise<Catch | undefined> {
  const startedMs = performance.now();
  const folder = join(root, ".mutants", fault.id);
  try {
    const subject = await mutantSubject(fault, folder);
    for (let at = 0; at < schedules.length; at += batchSize) {
      const tally = await driveBatch(subject, graph, schedules.slice(at, at + batchSize));
      const [finding] = [...tally.findings.values()].sort((a, b) => a.schedule.length - b.schedule.length);
      if (finding === undefined) continue;
      const path = await shrink(subject, graph, finding);
      return {
        finding,
        schedule: labelsOf(graph, path),
        schedulesDriven: at + batchSize,
        durationMs: performance.now() - startedMs,
      };
    }
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function mutantSubject(fault: Fault, folder: string): Promise<Subject> {
  rmSync(folder, { recursive: true, force: true });
  cpSync(join(root, "src"), folder, { recursive: true, filter: (path) => !/\.test(-d)?\.ts$/.test(path) });
  for (const edit of fault.edits) apply(fault, edit, folder);
  const entry = pathToFileURL(join(folder, "index.ts")).href;
  const implementation = (await import(/* @vite-ignore */ entry)) as Implementation;
  return { adapter: referenceAdapterOf(implementation), newStore: () => new MemoryStorage({ now: () => 0 }) };
}

function apply(fault: Fault, { file, find, replace }: Edit, folder: string): void {
  const path = join(folder, file);
  const parts = readFileSync(path, "utf8").split(find);
  if (parts.length !== 2) {
    throw new StaleFault(`${fault.id}: its text occurs ${parts.length - 1} times in src/${file}. Write the edit anew.`);
  }
  writeFileSync(path, parts.join(replace));
}
