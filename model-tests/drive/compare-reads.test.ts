/** Reads that the requirements do not allow. */
import { beforeAll, describe, expect, test } from "vitest";
import { boundsByName } from "../../machines/index.ts";
import { explore, type Graph, type GraphEdge } from "../explore/graph.ts";
import { exploringMs } from "../testing/graphs.ts";
import { edgesOf } from "../verify/labels.ts";
import { emptyRecord, type SeenRead } from "../world/step-record.ts";
import { compareReads } from "./compare-reads.ts";
import type { Mismatch } from "./mismatch.ts";

let graph: Graph;
beforeAll(() => {
  graph = explore(boundsByName.small);
}, exploringMs);

const started = ["accept", "land", "reply", "activate", "land", "reply", "stream.start", "land"];
const reopened = [...started, "crash", "reopen"];
const frames = "pi.pending.assistant_frame";

/** What is said of a read in the last step of a schedule. */
function said(schedule: readonly string[], read: Partial<SeenRead>): Mismatch | undefined {
  const edge = edgesOf(graph, schedule).at(-1) as GraphEdge;
  const seen: SeenRead = { kind: "getValue", forReader: false, isOfPending: true, ...read };
  const target = graph.nodes[edge.to];
  if (target === undefined) throw new Error("no such state");
  return compareReads(edge, target, { ...emptyRecord(), reads: [seen] });
}

describe("a read is a finding", () => {
  test.each([
    ["[E1] a list, in a reopen", reopened, { kind: "readList", namespace: frames }, "E1"],
    ["[E1] entries, in a reopen", reopened, { kind: "scanEntries" }, "E1"],
    ["[E2] the transcript, in a recovery", [...reopened, "activate"], { kind: "scanBranch" }, "E2"],
    [
      "[E2] another list than the pending one",
      [...reopened, "activate"],
      { kind: "readList", namespace: frames, isOfPending: false },
      "E2",
    ],
    [
      "[I3] all values of a namespace, for a snapshot",
      [...reopened, "snapshot"],
      { kind: "scanValues", forReader: true },
      "I3",
    ],
    ["[I3] all entries, for a snapshot", [...reopened, "snapshot"], { kind: "scanEntries", forReader: true }, "I3"],
    ["[A5] the list that a stream appends to", started.slice(0, -1), { kind: "readList", namespace: frames }, "A5"],
  ] as const)("%s", (_, schedule, read, requirement) => {
    expect(said(schedule, read)).toMatchObject({ requirement });
  });
});

describe("a read is none", () => {
  test.each([
    ["of values, in a reopen", reopened, { kind: "getValue" }],
    ["of the pending list, in a recovery", [...reopened, "activate"], { kind: "readList", namespace: frames }],
    ["of the branch, for a snapshot", [...reopened, "snapshot"], { kind: "scanBranch", forReader: true }],
    [
      "of the list, while a reader waits",
      started.slice(0, -1),
      { kind: "readList", namespace: frames, forReader: true },
    ],
  ] as const)("%s", (_, schedule, read) => {
    expect(said(schedule, read)).toBeUndefined();
  });
});
