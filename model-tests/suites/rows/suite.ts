/** Turns generated schedules into tests: a failing one names itself and prints the command that replays it. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BoundsName } from "../../../machines/index.ts";
import { requirements } from "../../../machines/index.ts";
import { sequenceDiagram } from "../../draw/sequence-diagram.ts";
import type { Subject } from "../../drive/run.ts";
import type { Graph } from "../../explore/graph.ts";
import type { Schedule } from "../../generate/schedule.ts";
import { driveBatch } from "../../verify/batch.ts";
import { counterexampleOf } from "../../verify/counterexample.ts";
import { minimise } from "../../verify/minimise.ts";
import type { Divergence, Tally } from "../../verify/tally.ts";

export interface Suite {
  readonly subject: Subject;
  readonly graph: Graph;
  readonly bounds: BoundsName;
  /** Where counterexamples are written. */
  readonly folder: string;
}

/** Drive the schedules of one test; throws an error that a reader can act on when one of them diverges. */
export async function driveSuite(suite: Suite, name: string, schedules: readonly Schedule[]): Promise<Tally> {
  const tally = await driveBatch(suite.subject, suite.graph, schedules);
  const [shortest] = [...tally.divergences.values()].sort((a, b) => a.schedule.length - b.schedule.length);
  if (shortest !== undefined) throw await failed(suite, name, shortest, tally.divergences.size);
  return tally;
}

async function failed(suite: Suite, name: string, divergence: Divergence, divergences: number): Promise<Error> {
  const { subject, graph, bounds } = suite;
  const shown = { ...divergence, schedule: await minimise(subject, graph, divergence) };
  const counterexample = counterexampleOf({ graph, bounds, sut: subject.adapter.name, store: "memory" }, shown);
  const { requirement, field, expected, actual, schedule } = counterexample;
  mkdirSync(suite.folder, { recursive: true });
  const file = join(suite.folder, `${name.replaceAll(/[^\w.]+/g, "-")}.json`);
  writeFileSync(file, `${JSON.stringify(counterexample, null, 2)}\n`);
  return new Error(
    [
      `${name}: ${divergences} divergence${divergences === 1 ? "" : "s"}`,
      `${requirement}: ${requirements[requirement]}`,
      `${field}: expected ${expected}, actual ${actual}`,
      `schedule: ${schedule.join(" > ")}`,
      sequenceDiagram(graph, shown.schedule, shown.mismatch),
      `replay: npm run durability -- replay ${file}`,
    ].join("\n"),
  );
}
