/** The scalars of a lane and of its open operation, as the store last replied them (E1). */
import { branchTip, laneConfig, laneState, operationMeta, operationState } from "../addresses/builtins.ts";
import type { LaneConfiguration, LaneState, OperationMeta } from "../durable/operation.ts";
import type { OperationState } from "../durable/state.ts";
import { InvariantError } from "../errors.ts";
import type { Storage } from "../storage/contract/storage.ts";

/** An open operation. */
export interface Operation {
  readonly meta: OperationMeta;
  readonly state: OperationState;
}

/** The scalar state of one lane as the store last replied it. Never changed, only replaced. */
export interface LaneView {
  readonly lane: string;
  readonly tipId: string | null;
  readonly config: LaneConfiguration;
  readonly laneState: LaneState;
  readonly operation: Operation | undefined;
}

/** What is there of a lane; a branch that no harness drove yet has a tip only. */
export interface StoredLane {
  readonly tipId: string | null | undefined;
  readonly config: LaneConfiguration | undefined;
  readonly laneState: LaneState | undefined;
}

/** Reads the scalars of a lane, and of no operation (E1). */
export async function readStoredLane(storage: Storage, lane: string): Promise<StoredLane> {
  const [tip, config, state] = await Promise.all([
    storage.getValue(branchTip(lane)),
    storage.getValue(laneConfig(lane)),
    storage.getValue(laneState(lane)),
  ]);
  return { tipId: tip?.value, config: config?.value, laneState: state?.value };
}

/** Reads the whole view, or answers `undefined` when the lane was never set up. Reads no list (E1). */
export async function readLaneView(storage: Storage, lane: string): Promise<LaneView | undefined> {
  const { tipId, config, laneState: state } = await readStoredLane(storage, lane);
  if (tipId === undefined || config === undefined || state === undefined) return undefined;
  const id = state.currentOperationId;
  const operation = id === null ? undefined : await readOperation(storage, id);
  return { lane, tipId, config, laneState: state, operation };
}

async function readOperation(storage: Storage, operationId: string): Promise<Operation> {
  const [meta, state] = await Promise.all([
    storage.getValue(operationMeta(operationId)),
    storage.getValue(operationState(operationId)),
  ]);
  if (meta === undefined || state === undefined) {
    throw new InvariantError(`The open operation ${operationId} has no ${meta === undefined ? "meta" : "state"}`);
  }
  return { meta: meta.value, state: state.value };
}
