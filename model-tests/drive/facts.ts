/** Turns what a step recorded into the history that invariants and race rows judge. */
import type { HistoryStep, SnapshotFact } from "../../machines/index.ts";
import type { GraphEdge, GraphNode } from "../explore/graph.ts";
import { operationScalars } from "../world/durable.ts";
import type { SeenSnapshot } from "../world/step-record.ts";
import type { World } from "../world/world.ts";
import type { Observation } from "./compare.ts";

export function historyStep(world: World, edge: GraphEdge, target: GraphNode, seen: Observation): HistoryStep {
  const { record, durable } = seen;
  const openCalls = world.promises.open;
  const state = operationScalars(world.durable);
  return {
    event: edge.event,
    landings: record.landings,
    events: record.events,
    audience: { ...world.takeAudienceRecord(), held: world.listenerHeld },
    calls: record.calls,
    requests: record.requests,
    polls: record.polls,
    remoteCancels: record.remoteCancels,
    provider: record.provider,
    snapshots: record.snapshots.map(snapshotFact),
    hooks: record.hooks,
    tools: record.tools,
    durable,
    pendingResponse: isPending(durable.at) ? state?.responseEntryId : undefined,
    atStore: seen.atStore,
    openCalls,
    resting: target.resting,
  };
}

const isPending = (at: HistoryStep["durable"]["at"]): boolean =>
  at === "effect_pending" || at === "deferred.effect_pending";

const snapshotFact = (snapshot: SeenSnapshot): SnapshotFact => ({
  hasPartial: snapshot.streamingMessage !== undefined,
  behind: snapshot.behind,
  transcriptIds: snapshot.transcript.map(({ id }) => id),
});
