/** Shortest ways through the graph, and ways to an idle lane without a disturbance. */
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { boundsByName } from "../../machines/index.ts";
import { explore, type Graph, type GraphEdge } from "../explore/graph.ts";
import { assertPath, exploringMs, toyGraph } from "../testing/graphs.ts";
import { follow, isDisturbance, isMainCase, isQuiet, pathTo, pathTree, quietWays } from "./schedule.ts";

let small: Graph;
beforeAll(() => {
  small = explore(boundsByName.small);
}, exploringMs);

describe("shortest paths", () => {
  test("lead from the initial state to every node, over allowed edges only", () => {
    const tree = pathTree(small, isMainCase);

    for (const node of small.nodes) {
      const path = pathTo(tree, node.index) as GraphEdge[];
      assertPath(path);
      expect(path.at(-1)?.to ?? 0).toBe(node.index);
      expect(path.every(isMainCase)).toBe(true);
    }
  });

  test("are as short as any, on every small graph", () => {
    fc.assert(
      fc.property(toys(), (graph) => {
        const distances = stepsFromStart(graph);
        const tree = pathTree(graph);
        for (const { index } of graph.nodes) expect(pathTo(tree, index)?.length).toBe(distances[index]);
      }),
      { seed: 11, numRuns: 300 },
    );
  });

  test("there is none to a node that cannot be reached", () => {
    const graph = toyGraph(3, [[0, 1]]);

    expect(pathTo(pathTree(graph), 2)).toBeUndefined();
    expect(
      pathTo(
        pathTree(graph, () => false),
        1,
      ),
    ).toBeUndefined();
    expect(pathTo(pathTree(graph), 0)).toEqual([]);
  });
});

describe("quiet ways", () => {
  test("[N13] end at an idle lane from every state, without a disturbance", () => {
    const ways = quietWays(small);

    for (const node of small.nodes) {
      const way = follow(ways, node.index);
      const end = small.nodes[way.at(-1)?.to ?? node.index];
      expect(end?.resting, `from ${node.path}`).toBe(true);
      expect(way.length, node.path).toBeLessThan(small.nodes.length);
      expect(way.every((edge) => isQuiet(edge) && !isDisturbance(edge))).toBe(true);
      expect(way[0]?.from ?? node.index).toBe(node.index);
    }
  });

  test("are the shortest ones", () => {
    const ways = quietWays(small);

    for (const edge of small.edges.filter(isQuiet)) {
      if (small.nodes[edge.from]?.resting) continue;
      expect(follow(ways, edge.from).length).toBeLessThanOrEqual(1 + follow(ways, edge.to).length);
    }
  });

  test("go around what is blocked", () => {
    const graph = toyGraph(4, [
      [0, 3],
      [0, 1],
      [1, 3],
    ]);

    expect(follow(quietWays(graph), 0).map(({ index }) => index)).toEqual([0]);
    expect(follow(quietWays(graph, new Set([0])), 0).map(({ index }) => index)).toEqual([1, 2]);
    expect(follow(quietWays(graph, new Set([0, 2])), 0)).toEqual([]);
  });
});

test("a disturbance is what nobody hopes for, and is never quiet", () => {
  const disturbing = new Set(small.edges.filter(isDisturbance).map(({ event }) => event.type));

  expect([...disturbing].sort()).toEqual(
    ["cancel", "close", "crash", "fail", "finalize", "lose_reply", "stream.defect"].sort(),
  );
  expect(small.edges.some((edge) => isDisturbance(edge) && isQuiet(edge))).toBe(false);
});

const toys = () =>
  fc.integer({ min: 1, max: 6 }).chain((nodes) => {
    const node = fc.integer({ min: 0, max: nodes - 1 });
    return fc.array(fc.tuple(node, node), { maxLength: 14 }).map((pairs) => toyGraph(nodes, pairs));
  });

/** Distances by relaxing all edges until nothing changes. */
function stepsFromStart({ nodes, edges }: Graph): (number | undefined)[] {
  const steps: (number | undefined)[] = nodes.map((_, at) => (at === 0 ? 0 : undefined));
  for (let round = 0; round < nodes.length; round++) {
    for (const { from, to } of edges) {
      const here = steps[from];
      if (here !== undefined && here + 1 < (steps[to] ?? Number.POSITIVE_INFINITY)) steps[to] = here + 1;
    }
  }
  return steps;
}
