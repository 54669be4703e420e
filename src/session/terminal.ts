/** Plans the terminal transaction of an operation: everything it owns goes, its result stays (O2, K4). */
import {
  laneState,
  operationMeta,
  operationResult,
  operationState,
  operationToolArgs,
  pendingAssistantFrames,
  pendingEntry,
} from "../addresses/builtins.ts";
import type { OperationError, OperationResultRecord } from "../durable/operation.ts";
import { pendingResponse, type ToolBatch } from "../durable/state.ts";
import { deleteList, deleteValue, setValue, type Write } from "../storage/contract/writes.ts";
import type { LaneView, Operation } from "./lane-view.ts";

/** How an operation ends (O2). */
export interface Outcome {
  readonly status: "completed" | "failed" | "aborted";
  /** Of a failure. */
  readonly error?: OperationError;
}

/** The end of an operation: what to write, the idle lane, and the record that callers get. */
export interface Terminal {
  readonly writes: Write[];
  readonly next: LaneView;
  readonly result: OperationResultRecord;
}

/**
 * The terminal transaction (O2): deletes every address that the operation owns, the frame list included (K3, K4), and
 * writes the result and the idle lane state.
 */
export function planTerminal(view: LaneView, operation: Operation, outcome: Outcome, endedAt: number): Terminal {
  const { operationId } = operation.meta;
  const result = resultOf(view, operation, outcome, endedAt);
  const idle = { ...view.laneState, currentOperationId: null, lastOperationId: operationId };
  return {
    writes: [
      ...deleteOwned(operation),
      setValue(operationResult(operationId), result),
      setValue(laneState(view.lane), idle),
    ],
    next: { ...view, laneState: idle, operation: undefined },
    result,
  };
}

function resultOf(view: LaneView, operation: Operation, outcome: Outcome, endedAt: number): OperationResultRecord {
  const { operationId, intent, sourceTipId, startedAt } = operation.meta;
  return {
    operationId,
    kind: intent.kind,
    status: outcome.status,
    ...(outcome.status === "failed" && { error: outcome.error ?? { code: "failed", message: "The operation failed" } }),
    fromTipId: sourceTipId,
    tipId: view.tipId,
    startedAt,
    endedAt,
  };
}

function deleteOwned({ meta, state }: Operation): Write[] {
  const { operationId } = meta;
  const response = pendingResponse(state);
  return [
    deleteValue(operationMeta(operationId)),
    deleteValue(operationState(operationId)),
    ...(response === undefined ? [] : [deleteList(pendingAssistantFrames(operationId, response.responseEntryId))]),
    ...(state.at === "tools" ? deleteBatch(operationId, state.batch) : []),
  ];
}

function deleteBatch(operationId: string, { turnId, calls }: ToolBatch): Write[] {
  return calls.flatMap(({ resultEntryId, sourceIndex }) => [
    deleteValue(pendingEntry(resultEntryId)),
    deleteValue(operationToolArgs(operationId, turnId, sourceIndex)),
  ]);
}
