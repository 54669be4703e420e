/** The call `cancel`: requests that the open operation ends (F1). */
import { operationState } from "../../addresses/builtins.ts";
import { isCancelled, type OperationState } from "../../durable/state.ts";
import { NoOpenOperation, OperationNotOpen } from "../../errors.ts";
import type { Plan } from "../../session/core.ts";
import type { LaneView, Operation } from "../../session/lane-view.ts";
import { setValue } from "../../storage/contract/writes.ts";
import type { LaneRuntime } from "../state/runtime.ts";

/** Which operation a cancel is meant for. */
export interface CancelOptions {
  /**
   * The operation that is to end. When another one is open, or none, the call is refused and changes nothing (Q7): a
   * Stop that comes late does not meet the next turn. Default: the operation that is open at the turn of the call.
   */
  operationId?: string;
}

/** The operation whose end was requested. */
export interface Cancelled {
  operationId: string;
  /** False when a cancel landed before, or was under way; this one then changed nothing. */
  newlyRequested: boolean;
}

/**
 * Requests cancellation (F1). From the call on, no hook, request or retry starts; the reply pulls the signal.
 * The drive of the operation ends it, or else the next activation does. While one is under way another joins it (F5).
 */
export async function cancelOperation(runtime: LaneRuntime, { operationId }: CancelOptions): Promise<Cancelled> {
  // Ids are never used again: what is not open now will not be open at the turn. Nothing may be held back until then.
  assertOpen(runtime, operationId);
  const first = runtime.cancelling;
  if (first !== undefined && (operationId === undefined || operationId === first.named)) {
    return { ...(await first.done), newlyRequested: false };
  }
  runtime.pendingCancels++;
  const done = runtime.scope.core.transact(runtime.name, (view) => planCancel(runtime, view, operationId));
  const mine = { named: operationId, done };
  runtime.cancelling = mine;
  try {
    return await done;
  } finally {
    if (runtime.cancelling === mine) runtime.cancelling = undefined;
  }
}

/**
 * The request stops being pending in the instant in which its turn decides it. Later it could be taken for a request to
 * the next operation.
 */
function planCancel(runtime: LaneRuntime, view: LaneView | undefined, named: string | undefined): Plan<Cancelled> {
  const operation = view?.operation;
  if (view === undefined || operation === undefined || isOther(operation, named)) {
    runtime.pendingCancels--;
    throw refusal(runtime, named);
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

const isOther = ({ meta }: Operation, named: string | undefined): boolean =>
  named !== undefined && named !== meta.operationId;

/** A named operation must be the open one (Q7). */
function assertOpen(runtime: LaneRuntime, named: string | undefined): void {
  const operation = runtime.view?.operation;
  if (named !== undefined && (operation === undefined || isOther(operation, named))) throw refusal(runtime, named);
}

const refusal = ({ name }: LaneRuntime, named: string | undefined): Error =>
  named === undefined ? new NoOpenOperation(name) : new OperationNotOpen(name, named);
