/** Turns generated schedules into tests: a failing one names itself and prints the command that replays it. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BoundsName, RequirementId } from "../../../machines/index.ts";
import { requirements } from "../../../machines/index.ts";
import { sequenceDiagram } from "../../draw/sequence-diagram.ts";
import type { Subject } from "../../drive/run.ts";
import type { Graph } from "../../explore/graph.ts";
import type { Schedule } from "../../generate/schedule.ts";
import { driveBatch } from "../../verify/batch.ts";
import { type Counterexample, digestOf } from "../../verify/counterexample.ts";
import { labelsOf } from "../../verify/labels.ts";
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
  if (shortest !== undefined) throw await failure(suite, name, shortest, tally.divergences.size);
  return tally;
}

async function failure(suite: Suite, name: string, divergence: Divergence, divergences: number): Promise<Error> {
  const path = await minimise(suite.subject, suite.graph, divergence);
  const { requirement, field, expected, actual } = divergence.mismatch;
  const counterexample: Counterexample = {
    kind: "assistant-durability counterexample",
    version: 1,
    machine: { name: "operation", digest: digestOf(suite.graph) },
    bounds: suite.bounds,
    sut: suite.subject.adapter.name,
    store: "memory",
    requirement,
    schedule: labelsOf(suite.graph, path),
    field,
    expected,
    actual,
  };
  mkdirSync(suite.folder, { recursive: true });
  const file = join(suite.folder, `${name.replaceAll(/[^\w.]+/g, "-")}.json`);
  writeFileSync(file, `${JSON.stringify(counterexample, null, 2)}\n`);
  return new Error(
    [
      `${name}: ${divergences} divergence${divergences === 1 ? "" : "s"}`,
      `${requirement}: ${requirements[requirement as RequirementId] ?? ""}`,
      `${field}: expected ${expected}, actual ${actual}`,
      `schedule: ${counterexample.schedule.join(" > ")}`,
      sequenceDiagram(suite.graph, path, divergence.mismatch),
      `replay: npm run durability -- replay ${file}`,
    ].join("\n"),
  );
}
