/** Runs a sample of schedules twice, once with extra turns of the event loop at each quiescence: nothing may differ. */
import { run, type Subject } from "../drive/run.ts";
import type { Graph } from "../explore/graph.ts";
import type { Schedule } from "../generate/schedule.ts";

export interface Determinism {
  readonly schedules: number;
  readonly steps: number;
  /** Schedules whose two runs differ in an observation or in where they end. */
  readonly differences: number;
}

const extraTurns = 20;

export async function checkDeterminism(
  subject: Subject,
  graph: Graph,
  sample: readonly Schedule[],
): Promise<Determinism> {
  let steps = 0;
  let differences = 0;
  for (const { edges } of sample) {
    const once = await run(subject, graph, edges);
    const again = await run(subject, graph, edges, { extraTurns });
    steps += once.steps.length;
    const facts = (result: typeof once) => JSON.stringify([result.steps.map(({ fact }) => fact), result.end.kind]);
    if (facts(once) !== facts(again)) differences++;
  }
  return { schedules: sample.length, steps, differences };
}
