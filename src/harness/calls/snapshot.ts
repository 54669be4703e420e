/** The call `snapshot`: what a lane looks like at one instant (section I). */
import type { AssistantMessage, DeferredHandle } from "@earendil-works/pi-ai";
import { operationResult } from "../../addresses/builtins.ts";
import type { Entry } from "../../durable/entries.ts";
import type { OperationResultRecord } from "../../durable/operation.ts";
import { isCancelled, type OperationState, pendingResponse } from "../../durable/state.ts";
import { InvariantError } from "../../errors.ts";
import type { SessionCore } from "../../session/core.ts";
import type { LaneView } from "../../session/lane-view.ts";
import { handleOf } from "../reading/deferred-handle.ts";
import { type DurablePartial, readPartial } from "../reading/partial.ts";
import { withCountableUsage } from "../reading/usage.ts";
import type { LaneRuntime } from "../state/runtime.ts";

/** An open operation as a snapshot shows it. */
export interface OperationSnapshot {
  id: string;
  status: "open" | "aborting";
  at: OperationState["at"];
  /** The running attempt, or the next one. */
  attempt?: number;
  /** When the next attempt is due, in milliseconds since the epoch. */
  notBefore?: number;
  /** What a poll asks for, and the number of the latest poll: 0 before the first. While suspended or polling. */
  deferred?: { handle: DeferredHandle; poll: number };
  /** Whether an activation in this process drives it. */
  driven: boolean;
  /** The latest partial that was observed (I1). It does not prove that a stream is running, and is never in the transcript (I2). */
  streamingMessage?: AssistantMessage;
  /** Why `streamingMessage` is less than all that was stored (B4). */
  partialDamaged?: string;
}

/** One lane at one instant. */
export interface LaneSnapshot {
  lane: string;
  /** From the root to the tip. */
  transcript: Entry[];
  tipId: string | null;
  /** How the operation before ended. */
  lastResult?: OperationResultRecord;
  /** `null` on an idle lane. */
  operation: OperationSnapshot | null;
  /** Whether the harness has stopped because of a fault (K2). */
  faulted: boolean;
}

type Read = SessionCore["read"];

/** Enough for any response that a model can give; a longer list shows its beginning (I3). */
const pageBudget = 256;

const nothing: DurablePartial = { message: undefined, damage: undefined };

/**
 * Captures a lane. `atInstant` runs in the instant that the snapshot shows. While this process owns a stream, the capture
 * is immediate, from the state as last replied. Otherwise it takes a turn, so that no commit is half landed.
 */
export function captureSnapshot(runtime: LaneRuntime, atInstant: () => void): Promise<LaneSnapshot> {
  const { core } = runtime.scope;
  const live = runtime.drive?.live;
  // A stream that goes on after its operation was ended from outside may belong to a lane that was let go.
  if (live !== undefined && runtime.view !== undefined) {
    atInstant();
    const message = live.partial === undefined ? undefined : withCountableUsage(structuredClone(live.partial));
    return assemble(runtime, requireView(runtime.view), { message, damage: undefined }, (query) => core.read(query));
  }
  return core.atTurn(runtime.name, async (current, turn) => {
    atInstant();
    const view = requireView(current);
    return assemble(runtime, view, undefined, turn.read);
  });
}

async function assemble(
  runtime: LaneRuntime,
  view: LaneView,
  observed: DurablePartial | undefined,
  read: Read,
): Promise<LaneSnapshot> {
  const driven = runtime.drive !== undefined;
  const faulted = runtime.scope.core.fault !== undefined;
  const transcript = await runtime.scope.transcripts.entries(read, view.lane, view.tipId);
  const lastResult = await readLastResult(read, view);
  const partial = observed ?? (await committedPartial(read, view));
  return {
    lane: view.lane,
    transcript,
    tipId: view.tipId,
    ...(lastResult !== undefined && { lastResult }),
    operation: operationOf(view, transcript, driven, partial),
    faulted,
  };
}

function operationOf(
  view: LaneView,
  transcript: readonly Entry[],
  driven: boolean,
  partial: DurablePartial,
): OperationSnapshot | null {
  if (view.operation === undefined) return null;
  const { meta, state } = view.operation;
  const deferred = deferredOf(state, transcript);
  const attempt = "attempt" in state ? state.attempt : "nextAttempt" in state ? state.nextAttempt : undefined;
  return {
    id: meta.operationId,
    status: isCancelled(state) ? "aborting" : "open",
    at: state.at,
    ...(attempt !== undefined && { attempt }),
    ...("notBefore" in state && { notBefore: state.notBefore }),
    ...(deferred !== undefined && { deferred }),
    driven,
    ...(partial.message !== undefined && { streamingMessage: partial.message }),
    ...(partial.damage !== undefined && { partialDamaged: partial.damage }),
  };
}

/** Of a damaged source entry nothing is shown here; the next activation fails with the reason. */
function deferredOf(state: OperationState, transcript: readonly Entry[]): OperationSnapshot["deferred"] {
  if (state.at !== "deferred.suspended" && state.at !== "deferred.effect_pending") return undefined;
  const handle = handleOf(transcript.find((entry) => entry.id === state.sourceEntryId));
  return handle === undefined ? undefined : { handle, poll: state.poll };
}

async function committedPartial(read: Read, { operation }: LaneView): Promise<DurablePartial> {
  const response = operation === undefined ? undefined : pendingResponse(operation.state);
  if (operation === undefined || response === undefined) return nothing;
  return readPartial(read, operation.meta.operationId, response.responseEntryId, pageBudget);
}

async function readLastResult(read: Read, view: LaneView): Promise<OperationResultRecord | undefined> {
  const id = view.laneState.lastOperationId;
  if (id === null) return undefined;
  return (await read((storage) => storage.getValue(operationResult(id))))?.value;
}

function requireView(view: LaneView | undefined): LaneView {
  if (view === undefined) throw new InvariantError("The lane was not set up");
  return view;
}
