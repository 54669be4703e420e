/** Looks for the shortest schedule that still shows the same divergence. */
import { type RunResult, run, type Subject } from "../drive/run.ts";
import type { Graph, GraphEdge } from "../explore/graph.ts";
import { pathTo, pathTree, type Schedule } from "../generate/schedule.ts";
import { judge } from "./batch.ts";
import { type Finding, newTally, type Path, shapeOf } from "./tally.ts";

const shrinkLimit = 200;

/** @returns a path that ends with the diverging step, never longer than the finding's own. */
export async function shrink(subject: Subject, graph: Graph, finding: Finding): Promise<Path> {
  // A crash inside a step was planned on the shortest path already.
  if (finding.inside !== undefined) return finding.schedule;
  const edges = finding.schedule.map((index) => graph.edges[index] as GraphEdge);
  let best = edges;
  let attempts = 0;
  const tree = pathTree(graph);
  const shows = async (candidate: readonly GraphEdge[]): Promise<boolean> => {
    attempts++;
    return (await shapesOf(subject, graph, candidate)).has(shapeOf(finding));
  };
  for (let improved = true; improved && attempts < shrinkLimit; ) {
    improved = false;
    for (const candidate of shorterPaths(tree, best)) {
      if (attempts >= shrinkLimit) break;
      if (!(await shows(candidate))) continue;
      best = candidate;
      improved = true;
      break;
    }
  }
  return best.map(({ index }) => index);
}

/** The same end, entered later on a shorter road, or without one of the circles that the path makes. */
function* shorterPaths(tree: readonly (GraphEdge | undefined)[], path: readonly GraphEdge[]): Generator<GraphEdge[]> {
  for (let keep = 1; keep <= path.length; keep++) {
    const rest = path.slice(path.length - keep);
    const road = pathTo(tree, rest[0]?.from ?? 0);
    if (road !== undefined && road.length + keep < path.length) yield [...road, ...rest];
  }
  const visited = new Map<number, number>([[0, 0]]);
  for (const [at, edge] of path.entries()) {
    const before = visited.get(edge.to);
    if (before !== undefined) yield [...path.slice(0, before), ...path.slice(at + 1)];
    else visited.set(edge.to, at + 1);
  }
}

/** Every divergence that a schedule shows, in whichever state. */
async function shapesOf(subject: Subject, graph: Graph, edges: readonly GraphEdge[]): Promise<ReadonlySet<string>> {
  const tally = newTally(graph.edges.length);
  const schedule: Schedule = { edges };
  const result: RunResult = await run(subject, graph, edges);
  judge(graph, tally, schedule, result);
  return new Set([...tally.findings.values()].map(shapeOf));
}
