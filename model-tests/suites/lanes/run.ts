/** Drives one schedule of a session with two lanes: perform, wait for quiescence, observe each lane, compare each lane. */

import {
  type HistoryStep,
  type JointEvent,
  type LaneName,
  laneNames,
  type PerLane,
  type Place,
  perLane,
} from "../../../machines/index.ts";
import { compareStep, type Observation, observe } from "../../drive/compare.ts";
import { ContentCheck, compareSnapshot, type View } from "../../drive/content.ts";
import { historyStep } from "../../drive/facts.ts";
import { type Mismatch, mismatch } from "../../drive/mismatch.ts";
import { perform } from "../../drive/perform.ts";
import { type Subject, withoutStackTraces } from "../../drive/run.ts";
import { AdapterError, NoQuiescence } from "../../errors.ts";
import type { GraphNode } from "../../explore/graph.ts";
import { quiescence } from "../../world/quiescence.ts";
import { watchStrays } from "../../world/strays.ts";
import type { JointEdge, JointGraph, JointNode } from "./graph.ts";
import type { AtStore } from "./one-store.ts";
import { SessionWorld } from "./session-world.ts";

/** The history of each lane, step by step. */
interface JointStep {
  readonly edge: JointEdge;
  readonly facts: PerLane<HistoryStep>;
}

type JointEnd =
  | { readonly kind: "completed" }
  | { readonly kind: "not offered"; readonly edge: JointEdge }
  | { readonly kind: "diverged"; readonly edge: JointEdge; readonly lane: LaneName; readonly mismatch: Mismatch };

export interface JointResult {
  /** The steps that were driven and matched on both lanes. */
  readonly steps: readonly JointStep[];
  readonly end: JointEnd;
}

export async function runSession(
  subject: Subject,
  graph: JointGraph,
  edges: readonly JointEdge[],
): Promise<JointResult> {
  const session = new SessionWorld(subject.adapter, subject.newStore(), graph.bounds.a.bounds.attempts);
  const uninstall = subject.adapter.install?.(session.worlds.a.clock);
  const unwatch = watchStrays((error) => session.worlds.a.stray(error));
  try {
    await session.boot();
    await quiescence(session);
    for (const lane of laneNames) forgetRecords(session, lane);
    return await withoutStackTraces(() => new Runner(session, graph).drive(edges));
  } finally {
    session.kill();
    unwatch();
    uninstall?.();
  }
}

function forgetRecords({ worlds }: SessionWorld, lane: LaneName): void {
  worlds[lane].takeRecord();
  worlds[lane].takeAudienceRecord();
}

class Runner {
  readonly #session: SessionWorld;
  readonly #graph: JointGraph;
  readonly #content: PerLane<ContentCheck>;
  readonly #steps: JointStep[] = [];

  constructor(session: SessionWorld, graph: JointGraph) {
    this.#session = session;
    this.#graph = graph;
    this.#content = perLane((lane) => new ContentCheck(session.worlds[lane]));
  }

  async drive(edges: readonly JointEdge[]): Promise<JointResult> {
    for (const edge of edges) {
      const end = await this.#step(edge);
      if (end !== undefined) return { steps: this.#steps, end };
    }
    return { steps: this.#steps, end: { kind: "completed" } };
  }

  async #step(edge: JointEdge): Promise<JointEnd | undefined> {
    const before = perLane((lane) => this.#viewIfAsked(edge, lane));
    try {
      if (!(await performOn(this.#session, edge.joint))) return { kind: "not offered", edge };
      await quiescence(this.#session);
    } catch (error) {
      return { kind: "diverged", edge, lane: edge.joint.lane ?? "a", mismatch: failure(edge, error) };
    }
    const { atStore } = this.#session;
    const seen = perLane((lane) =>
      behindTheOther(this.#to(edge).lanes[lane], observe(this.#session.worlds[lane]), atStore),
    );
    for (const lane of laneNames) {
      const found = this.#compare(edge, lane, seen[lane]) ?? this.#checkContent(edge, lane, seen[lane], before[lane]);
      if (found !== undefined) return { kind: "diverged", edge, lane, mismatch: found };
    }
    const disorder = compareOrder(this.#to(edge).line, atStore);
    if (disorder !== undefined) return { kind: "diverged", edge, lane: edge.joint.lane ?? "a", mismatch: disorder };
    this.#steps.push({ edge, facts: perLane((lane) => this.#fact(edge, lane, seen[lane])) });
    return undefined;
  }

  #compare(edge: JointEdge, lane: LaneName, seen: Observation): Mismatch | undefined {
    const { nonsense } = this.#session.worlds[lane].promises;
    if (nonsense !== undefined) throw new AdapterError(nonsense);
    // A read is of the one store: which lane it serves is not seen.
    const own = { ...seen, record: { ...seen.record, reads: [] } };
    return compareStep(edge.lanes[lane], this.#from(edge).lanes[lane], this.#to(edge).lanes[lane], own);
  }

  #checkContent(edge: JointEdge, lane: LaneName, seen: Observation, before: View | undefined): Mismatch | undefined {
    const content = this.#content[lane];
    const wrong = content.check(edge.lanes[lane].effects);
    if (wrong !== undefined || before === undefined) return wrong;
    const after = content.view(this.#to(edge).lanes[lane]);
    return seen.record.snapshots.map((snapshot) => compareSnapshot(snapshot, before, after)).find(Boolean);
  }

  #viewIfAsked(edge: JointEdge, lane: LaneName): View | undefined {
    const { joint } = edge;
    const asked = joint.lane === lane && joint.event.type === "snapshot";
    const pending = this.#session.worlds[lane].promises.count("snapshot");
    return asked || pending > 0 ? this.#content[lane].view(this.#from(edge).lanes[lane]) : undefined;
  }

  #fact(edge: JointEdge, lane: LaneName, seen: Observation): HistoryStep {
    const { lanes, line } = this.#to(edge);
    // A call that waits for its refusal behind the other lane's commits is still pending.
    const resting = lanes[lane].resting && !line.some((place) => place.lane === lane);
    return historyStep(this.#session.worlds[lane], edge.lanes[lane], { ...lanes[lane], resting }, seen);
  }

  #from = ({ from }: JointEdge): JointNode => this.#graph.nodes[from] as JointNode;
  #to = ({ to }: JointEdge): JointNode => this.#graph.nodes[to] as JointNode;
}

/** One lane's commits may all wait behind those of the other: then nothing of it is at the store, and that is as it should be. */
function behindTheOther({ expected }: GraphNode, seen: Observation, atStore: readonly AtStore[]): Observation {
  return seen.atStore.length === 0 && atStore.length > 0 ? { ...seen, atStore: expected.line } : seen;
}

/** What waits at the store is a prefix of the one line, whichever lanes its places are of. */
function compareOrder(line: readonly Place[], atStore: readonly AtStore[]): Mismatch | undefined {
  const idle = line.findIndex((place) => place.idle);
  const mayArrive = (idle === -1 ? line : line.slice(0, idle)).map(({ lane, commit }) => `${lane} ${commit}`);
  const arrived = atStore.map(({ lane, name }) => `${lane} ${name}`);
  const fits = arrived.every((commit, at) => commit === mayArrive[at]) && (arrived.length > 0 || line.length === 0);
  return fits ? undefined : mismatch("C7", "order at the store", mayArrive.join(", "), arrived.join(", "));
}

/** Perform an event of the session; `false` when this implementation does not offer it here. */
async function performOn(session: SessionWorld, { lane, event }: JointEvent): Promise<boolean> {
  if (lane === undefined) {
    if (event.type === "reopen") await session.boot();
    else session.kill();
    return true;
  }
  const offered = await perform(session.worlds[lane], event);
  // The store fails as a whole: nothing that stands behind lands either (A13).
  if (event.type === "fail" || event.type === "lose_reply") for (const it of laneNames) session.worlds[it].gate?.fail();
  return offered;
}

function failure(edge: JointEdge, error: unknown): Mismatch {
  return error instanceof NoQuiescence
    ? mismatch("N13", "quiescence", "the harness comes to rest", error.message)
    : mismatch("E1", "step succeeds", edge.action, error instanceof Error ? error.message : String(error));
}
