/** From every state each harness comes to rest, and no promise of a caller stays open. */
import { describe, expect, test } from "vitest";
import { boundsByName, boundsFor } from "../../../machines/index.ts";
import { piDivergences } from "../../adapters/pi-agent-core/divergences.ts";
import { explore, type Graph, type GraphEdge } from "../../explore/graph.ts";
import { follow, isMainCase, pathTo, pathTree, quietWays, type Schedule } from "../../generate/schedule.ts";
import { reference } from "../../testing/subjects.ts";
import { driveBatch } from "../../verify/batch.ts";
import { knownAs } from "../../verify/known.ts";
import { loadSubject } from "../../verify/subject.ts";

const graph = explore(boundsByName.small);

/** From every reachable state the quiet way to a lane at rest: nobody disturbs, and everybody does what is owed. */
function wayFromEveryState(graph: Graph): readonly Schedule[] {
  const tree = pathTree(graph, isMainCase);
  const ways = quietWays(graph);
  return graph.nodes.flatMap(({ index }) => {
    const path = pathTo(tree, index) as readonly GraphEdge[];
    return path.length === 0 ? [] : [{ edges: [...path, ...follow(ways, index)] }];
  });
}

const fromEveryState = wayFromEveryState(graph);

describe("[N13] from every reachable state the lane comes to rest with no promise pending and no leak", () => {
  test("in the specification: every way ends at rest", () => {
    const ends = fromEveryState.map(({ edges }) => graph.nodes[edges.at(-1)?.to as number]);

    expect(ends.filter((node) => node?.resting !== true)).toEqual([]);
    expect(fromEveryState).toHaveLength(graph.nodes.length - 1);
  });

  test("on the reference", async () => {
    const tally = await driveBatch(reference, graph, fromEveryState);

    expect([...tally.divergences.values()]).toEqual([]);
    expect(tally.notOffered.filter(Boolean)).toHaveLength(0);
    expect(tally.invariants.get("N13")?.premiseHeld).toBeGreaterThan(fromEveryState.length);
  });

  test("on pi-agent-core, but for its listed divergences", async () => {
    const subject = await loadSubject({ sut: "pi-agent-core", store: "memory" });
    const own = explore(boundsFor("small", "harness"));
    const tally = await driveBatch(subject, own, wayFromEveryState(own));
    const unlisted = [...tally.divergences.values()].filter(
      (divergence) => knownAs(piDivergences, divergence) === undefined,
    );

    expect(unlisted).toEqual([]);
    expect(tally.invariants.get("N13")?.premiseHeld).toBeGreaterThan(1_000);
  });
});
