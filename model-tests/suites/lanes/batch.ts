/** Drives schedules of a session with two lanes and judges every run: coverage, divergences, the invariants of each lane. */
import { invariants, laneNames, stateName } from "../../../machines/index.ts";
import { type Mismatch, mismatch } from "../../drive/mismatch.ts";
import type { Subject } from "../../drive/run.ts";
import type { Tour } from "../../generate/tours.ts";
import { addFinding, findingKey, type InvariantTally, newTally, type Tally } from "../../verify/tally.ts";
import type { JointEdge, JointGraph } from "./graph.ts";
import { type JointResult, runSession } from "./run.ts";

export type JointSchedule = Tour<JointEdge>;

export async function driveSessions(
  subject: Subject,
  graph: JointGraph,
  schedules: readonly JointSchedule[],
): Promise<Tally> {
  const tally = newTally(graph.edges.length);
  for (const schedule of schedules) judge(graph, tally, schedule, await runSession(subject, graph, schedule.edges));
  return tally;
}

function judge(graph: JointGraph, tally: Tally, schedule: JointSchedule, { steps, end }: JointResult): void {
  tally.schedules++;
  tally.steps += steps.length;
  for (const { edge } of steps) tally.covered[edge.index] = 1;
  if (end.kind === "not offered") tally.notOffered[end.edge.index] = 1;
  if (end.kind === "diverged") {
    tally.diverged[end.edge.index] = 1;
    report(graph, tally, schedule, steps.length, end.lane, end.mismatch);
  }
  for (const lane of laneNames) judgeLane(graph, tally, schedule, steps, lane);
}

function judgeLane(
  graph: JointGraph,
  tally: Tally,
  schedule: JointSchedule,
  steps: JointResult["steps"],
  lane: (typeof laneNames)[number],
): void {
  const history = steps.map(({ facts }) => facts[lane]);
  for (const { id, title, judge: judgeHistory } of invariants) {
    const { premiseHeld, violations } = judgeHistory(history);
    const total = tally.invariants.get(id) as InvariantTally;
    total.checked++;
    total.premiseHeld += premiseHeld;
    total.violated += violations.length;
    const [first] = violations;
    if (first !== undefined) {
      report(graph, tally, schedule, first.step, lane, mismatch(id, "invariant", title, first.what));
    }
  }
}

/** Note a divergence of one lane at step `at`, in the words of that lane: known divergences are recognised by them. */
function report(
  graph: JointGraph,
  tally: Tally,
  { edges }: JointSchedule,
  at: number,
  lane: (typeof laneNames)[number],
  found: Mismatch,
): void {
  const edge = edges[at] as JointEdge;
  const state = stateName(graph.nodes[edge.to]?.lanes[lane].path ?? "");
  const { event } = edge.joint;
  const action = edge.joint.lane === undefined || edge.joint.lane === lane ? edge.lanes[lane].action : event.type;
  addFinding(tally, {
    key: findingKey(`${edge.action} on ${lane}`, state, found),
    action,
    state,
    mismatch: found,
    schedule: edges.slice(0, at + 1).map(({ index }) => index),
    times: 1,
    stepsLost: edges.length - at,
    races: new Set(),
  });
}
