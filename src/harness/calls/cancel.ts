/** The call `cancel`: requests that the open operation ends (F1). */
import { operationState } from "../../addresses/builtins.ts";
import { isCancelled, type OperationState } from "../../durable/state.ts";
import { NoOpenOperation } from "../../errors.ts";
import type { Plan } from "../../session/core.ts";
import type { LaneView } from "../../session/lane-view.ts";
import { setValue } from "../../storage/contract/writes.ts";
import type { LaneRuntime } from "../state/runtime.ts";

/** The operation whose end was requested. */
export interface Cancelled {
  operationId: string;
  /** False when a cancel landed before; this one then changed nothing. */
  newlyRequested: boolean;
}

/**
 * Requests cancellation (F1). From the call on, no hook, request or retry starts; the reply pulls the signal.
 * The drive of the operation ends it, or else the next activation does.
 */
export function cancelOperation(runtime: LaneRuntime): Promise<Cancelled> {
  runtime.pendingCancels++;
  return runtime.scope.core.transact(runtime.name, (view) => planCancel(runtime, view));
}

/**
 * The request stops being pending in the instant in which its turn decides it. Later it could be taken for a request to
 * the next operation.
 */
function planCancel(runtime: LaneRuntime, view: LaneView | undefined): Plan<Cancelled> {
  const operation = view?.operation;
  if (view === undefined || operation === undefined) {
    runtime.pendingCancels--;
    throw new NoOpenOperation(runtime.name);
  }
  const { operationId } = operation.meta;
  if (isCancelled(operation.state)) {
    runtime.pendingCancels--;
    return { value: { operationId, newlyRequested: false } };
  }
  const requestedAt = runtime.scope.core.clock.now();
  const state: OperationState = { ...operation.state, control: { status: "cancel_requested", requestedAt } };
  return {
    writes: [setValue(operationState(operationId), state)],
    next: { ...view, operation: { ...operation, state } },
    replied: () => {
      runtime.pendingCancels--;
      runtime.drive?.pull();
      void runtime.scope.hub.emit({ type: "operation_cancel", lane: runtime.name, operationId });
      return { operationId, newlyRequested: true };
    },
  };
}
