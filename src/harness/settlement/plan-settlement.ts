/** Plans the one transaction that makes a response an entry (D1, D2). */
import type { AssistantMessage } from "@earendil-works/pi-ai";
import { branchTip, operationState, pendingAssistantFrames } from "../../addresses/builtins.ts";
import type { NewEntry, NewUsageRow } from "../../durable/entries.ts";
import type { OperationResultRecord } from "../../durable/operation.ts";
import {
  type EffectPending,
  isCancelled,
  type OperationState,
  type PlannedCall,
  scopeOf,
} from "../../durable/state.ts";
import type { LaneView, Operation } from "../../session/lane-view.ts";
import { planTerminal } from "../../session/terminal.ts";
import { deleteList, insertEntry, insertUsage, setValue, type Write } from "../../storage/contract/writes.ts";
import { classify, type Decision } from "./classify.ts";
import { type ReservedRequest, requestOf } from "./reserved-request.ts";

/** Makes ids and reads the time at planning. */
export interface PlanningWorld {
  now(): number;
  nextId(): string;
}

/** What is settled. */
export interface Response {
  readonly message: AssistantMessage;
  /** It has no end of its own, so its error may always be retried (E7, Q6). */
  readonly interrupted: boolean;
}

/** One settlement, planned. */
export interface Settlement {
  readonly writes: Write[];
  readonly next: LaneView;
  readonly entry: NewEntry;
  readonly row: NewUsageRow;
  readonly decision: Decision;
  /** Present when the settlement is the terminal transaction too. */
  readonly result: OperationResultRecord | undefined;
}

/**
 * Plans the one transaction that makes a response an entry: entry, usage, tip, deletion of the frame list, and the
 * decision (D1). `state` is the state that reserved the response.
 */
export function planSettlement(
  view: LaneView,
  operation: Operation,
  state: EffectPending,
  response: Response,
  world: PlanningWorld,
): Settlement {
  const now = world.now();
  const request = requestOf(state);
  const asked = { ...request.configuration.model, api: state.api };
  const { generation, poll } = request;
  const decision = classify({ ...response, cancelled: isCancelled(state), asked, generation, poll, now });
  const { message } = decision;
  const entry: NewEntry = { id: state.responseEntryId, parentId: view.tipId, type: "message", message };
  const row = { id: state.usageId, usage: message.usage, entryId: entry.id, adjustment: false };
  const moved: LaneView = { ...view, tipId: entry.id };
  const settle: Write[] = [insertEntry(entry), insertUsage(row), setValue(branchTip(view.lane), entry.id)];
  if (decision.kind === "fail") {
    const outcome = { status: "failed", error: decision.error } as const;
    const { writes, next, result } = planTerminal(moved, operation, outcome, now);
    return { writes: [...settle, ...writes], next, entry, row, decision, result };
  }
  const { operationId } = operation.meta;
  const nextState = stateAfter(state, request, decision, world);
  return {
    writes: [
      ...settle,
      deleteList(pendingAssistantFrames(operationId, entry.id)),
      setValue(operationState(operationId), nextState),
    ],
    next: { ...moved, operation: { ...operation, state: nextState } },
    entry,
    row,
    decision,
    result: undefined,
  };
}

/** Where the operation goes on; a failure ends it instead. */
function stateAfter(
  state: EffectPending,
  request: ReservedRequest,
  decision: Exclude<Decision, { kind: "fail" }>,
  world: PlanningWorld,
): OperationState {
  const { responseEntryId } = state;
  const scope = { ...scopeOf(state), latestAssistantEntryId: responseEntryId };
  const { stepId, configuration, streamOptions } = request;
  switch (decision.kind) {
    case "retry": {
      const { generationContext, nextAttempt, notBefore, errorMessage } = decision;
      return { ...scope, at: "assistant.retry_wait", generationContext, nextAttempt, notBefore, errorMessage };
    }
    case "suspend": {
      const { poll } = decision;
      const source = { stepId, configuration, streamOptions, sourceEntryId: responseEntryId };
      return { ...scope, ...source, at: "deferred.suspended", poll };
    }
    case "tools": {
      const calls = decision.sourceIndexes.map((sourceIndex) => plannedCall(sourceIndex, world.nextId()));
      const batch = { assistantEntryId: responseEntryId, configuration, turnId: stepId, calls };
      return { ...scope, at: "tools", batch };
    }
    default: {
      const continuation = { kind: "may_finish", includeFinalAssistant: true } as const;
      return { ...scope, at: "checkpoint", continuation, triggerEntryId: responseEntryId };
    }
  }
}

const plannedCall = (sourceIndex: number, resultEntryId: string): PlannedCall => ({
  sourceIndex,
  resultEntryId,
  status: "planned",
});
