/** Drives a batch of schedules and judges every run. */
import { type CrashInside, type RunOptions, run, type Subject } from "../drive/run.ts";
import type { Graph } from "../explore/graph.ts";
import { quietWays, type Schedule } from "../generate/schedule.ts";
import { judgeRun } from "./judge-run.ts";
import { type Tally, tallyFor } from "./tally.ts";

export async function driveBatch(subject: Subject, graph: Graph, schedules: readonly Schedule[]): Promise<Tally> {
  const tally = tallyFor(graph);
  for (const schedule of schedules) {
    const result = await run(subject, graph, schedule.edges, optionsOf(graph, schedule));
    judgeRun(tally, { graph, schedule, result });
  }
  return tally;
}

const waysOf = new WeakMap<Graph, CrashInside["ways"]>();

/** How a schedule is run: one that crashes inside its last step goes on along the quiet ways of its graph. */
export function optionsOf(graph: Graph, { inside, content }: Schedule): RunOptions {
  const options = content === undefined ? {} : { content };
  if (inside === undefined) return options;
  const ways = waysOf.get(graph) ?? quietWays(graph);
  waysOf.set(graph, ways);
  return { ...options, crashInside: { ...inside, ways } };
}
