/** Looks for the shortest schedule that still shows the same divergence. */
import { run, type Subject } from "../drive/run.ts";
import type { Graph, GraphEdge } from "../explore/graph.ts";
import { pathTo, pathTree } from "../generate/schedule.ts";
import { optionsOf } from "./batch.ts";
import { divergencesOf } from "./judge-run.ts";
import { type Divergence, type Path, shapeOf } from "./tally.ts";

const attemptsAtMost = 200;

/** @returns a path that ends with the diverging step, never longer than the divergence's own. */
export async function minimise(subject: Subject, graph: Graph, divergence: Divergence): Promise<Path> {
  // A crash inside a step was planned on the shortest path already.
  if (divergence.inside !== undefined) return divergence.schedule;
  let best = divergence.schedule.map((index) => graph.edges[index] as GraphEdge);
  let attempts = 0;
  const tree = pathTree(graph);
  const shows = async (edges: readonly GraphEdge[]): Promise<boolean> => {
    attempts++;
    const schedule = { edges, ...(divergence.content !== undefined && { content: divergence.content }) };
    const result = await run(subject, graph, edges, optionsOf(graph, schedule));
    return divergencesOf({ graph, schedule, result }).some((shown) => shapeOf(shown) === shapeOf(divergence));
  };
  for (let improved = true; improved && attempts < attemptsAtMost; ) {
    improved = false;
    for (const candidate of shorterPaths(tree, best)) {
      if (attempts >= attemptsAtMost) break;
      if (!(await shows(candidate))) continue;
      best = candidate;
      improved = true;
      break;
    }
  }
  return best.map(({ index }) => index);
}

/** The same end on a shorter path to it, or without one of the circles that the path makes. */
function* shorterPaths(tree: readonly (GraphEdge | undefined)[], path: readonly GraphEdge[]): Generator<GraphEdge[]> {
  for (let keep = 1; keep <= path.length; keep++) {
    const rest = path.slice(path.length - keep);
    const shortest = pathTo(tree, rest[0]?.from ?? 0);
    if (shortest !== undefined && shortest.length + keep < path.length) yield [...shortest, ...rest];
  }
  const visited = new Map<number, number>([[0, 0]]);
  for (const [at, edge] of path.entries()) {
    const before = visited.get(edge.to);
    if (before !== undefined) yield [...path.slice(0, before), ...path.slice(at + 1)];
    else visited.set(edge.to, at + 1);
  }
}
