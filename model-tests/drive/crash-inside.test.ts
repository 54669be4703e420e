/** A harness may commit in more steps than the machine knows: it is crashed between those too. */
import { beforeAll, describe, expect, test } from "vitest";
import { boundsByName } from "../../machines/index.ts";
import { MemoryStorage } from "../../src/index.ts";
import type { Adapter } from "../adapters/adapter.ts";
import { referenceAdapter } from "../adapters/reference.ts";
import { explore, type Graph } from "../explore/graph.ts";
import { exploringMs } from "../testing/graphs.ts";
import { optionsOf } from "../verify/batch.ts";
import { edgesOf } from "../verify/labels.ts";
import { type RunResult, run } from "./run.ts";

let graph: Graph;
beforeAll(() => {
  graph = explore(boundsByName.small);
}, exploringMs);

const untilTools =
  "accept, land, reply, activate, land, reply, stream.start, land, reply, listener.release, stream.end length, hook.release, land, reply";

async function crashInside(adapter: Adapter, landed: boolean, commit = 0): Promise<RunResult> {
  const edges = edgesOf(graph, untilTools.split(", "));
  const subject = { adapter, newStore: () => new MemoryStorage({ now: () => 0 }) };
  return run(subject, graph, edges, optionsOf(graph, { edges, inside: { commit, landed } }));
}

describe("a crash at a commit that the machine does not know", () => {
  test.each([
    ["before", false, "tools"],
    ["after", true, "ready"],
  ])("%s its landing restores what is durable, and goes on to an idle lane", async (_when, landed, at) => {
    const { steps, end } = await crashInside(referenceAdapter, landed);

    const crashed = steps.find(({ edge }) => edge.event.type === "crash");
    expect(crashed?.fact.durable.at).toBe(at);
    expect(end.kind).toBe("completed");
    expect(steps.at(-1)?.fact.resting).toBe(true);
  });

  test("is not offered where the step has no such commit", async () => {
    const { end } = await crashInside(referenceAdapter, false, 5);

    expect(end).toMatchObject({ kind: "not offered", because: "commit" });
  });

  test("[E9] is a divergence when the restored lane does not go on from what is durable", async () => {
    const forgetful: Adapter = {
      ...referenceAdapter,
      boot: async (surroundings) => ({
        ...(await referenceAdapter.boot(surroundings)),
        ...(boots++ > 0 && { activate: () => Promise.resolve("refused" as const) }),
      }),
    };
    let boots = 0;
    const { end } = await crashInside(forgetful, true);

    expect(end.kind).toBe("diverged");
  });
});
