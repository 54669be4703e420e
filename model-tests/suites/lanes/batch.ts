/** Drives schedules of a session with two lanes and judges every run: coverage, divergences, the invariants of each lane. */
import { type LaneName, laneNames, stateName } from "../../../machines/index.ts";
import type { Subject } from "../../drive/run.ts";
import type { Tour } from "../../generate/tours.ts";
import { type FailedStep, judgeHistory } from "../../verify/judge-history.ts";
import { addDivergence, divergenceKey, newTally, type Tally } from "../../verify/tally.ts";
import type { JointEdge, JointGraph } from "./graph.ts";
import { type JointResult, runSession } from "./run.ts";

export type JointSchedule = Tour<JointEdge>;

export async function driveSessions(
  subject: Subject,
  graph: JointGraph,
  schedules: readonly JointSchedule[],
): Promise<Tally> {
  const tally = newTally(graph.edges.length);
  for (const schedule of schedules) {
    const result = await runSession(subject, graph, schedule.edges);
    new SessionJudge(tally, graph, schedule).judge(result);
  }
  return tally;
}

/** Adds to a tally what one run of a session has shown. */
class SessionJudge {
  readonly #tally: Tally;
  readonly #graph: JointGraph;
  readonly #schedule: JointSchedule;

  constructor(tally: Tally, graph: JointGraph, schedule: JointSchedule) {
    this.#tally = tally;
    this.#graph = graph;
    this.#schedule = schedule;
  }

  judge({ steps, end }: JointResult): void {
    this.#tally.schedules++;
    this.#tally.steps += steps.length;
    for (const { edge } of steps) this.#tally.covered[edge.index] = 1;
    if (end.kind === "not offered") this.#tally.notOffered[end.edge.index] = 1;
    if (end.kind === "diverged") {
      this.#tally.diverged[end.edge.index] = 1;
      this.#note(end.lane, { at: steps.length, mismatch: end.mismatch });
    }
    for (const lane of laneNames) {
      const history = steps.map(({ facts }) => facts[lane]);
      for (const failed of judgeHistory(this.#tally, history)) this.#note(lane, failed);
    }
  }

  /** Note a mismatch of one lane, in the words of that lane: known divergences are recognised by them. */
  #note(lane: LaneName, { at, mismatch }: FailedStep): void {
    const { edges } = this.#schedule;
    const edge = edges[at] as JointEdge;
    const { event, lane: acting = lane } = edge.joint;
    const stateAt = (node: number): string => stateName(this.#graph.nodes[node]?.lanes[lane].path ?? "");
    const [from, state] = [stateAt(edge.from), stateAt(edge.to)];
    addDivergence(this.#tally, {
      key: divergenceKey({ action: `${edge.action} on ${lane}`, from, state }, mismatch),
      action: acting === lane ? edge.lanes[lane].action : event.type,
      from,
      state,
      mismatch,
      schedule: edges.slice(0, at + 1).map(({ index }) => index),
      times: 1,
      stepsLost: edges.length - at,
      races: new Set(),
    });
  }
}
