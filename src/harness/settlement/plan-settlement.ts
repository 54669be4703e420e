import type { AssistantMessage } from "@earendil-works/pi-ai";
import { branchTip, operationState, pendingAssistantFrames } from "../../addresses/builtins.ts";
import type { NewEntry, NewUsageRow } from "../../durable/entries.ts";
import type { OperationResultRecord } from "../../durable/operation.ts";
import { type EffectPending, isCancelled, type OperationState, scopeOf } from "../../durable/state.ts";
import { InvariantError } from "../../errors.ts";
import type { LaneView, Operation } from "../../session/lane-view.ts";
import { planTerminal } from "../../session/terminal.ts";
import { deleteList, insertEntry, insertUsage, setValue, type Write } from "../../storage/contract/writes.ts";
import { classify, type Decision, type Settling } from "./classify.ts";

/** Makes ids and reads the time at planning. */
export interface PlanningWorld {
  now(): number;
  nextId(): string;
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
  response: { message: AssistantMessage; synthetic: boolean },
  world: PlanningWorld,
): Settlement {
  const now = world.now();
  const decision = classify(settlingOf(state, response, now));
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
  const nextState = stateAfter(state, decision, world);
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

function settlingOf(
  state: EffectPending,
  response: { message: AssistantMessage; synthetic: boolean },
  now: number,
): Settling {
  const cancelled = isCancelled(state);
  if (state.at === "deferred.effect_pending") {
    const asked = { ...state.configuration.model, api: state.api };
    return { ...response, cancelled, asked, attempts: undefined, poll: state.poll, now };
  }
  const { configuration, retryPolicy } = state.generationContext;
  const asked = { ...configuration.model, api: state.api };
  return { ...response, cancelled, asked, attempts: { attempt: state.attempt, rule: retryPolicy }, poll: 0, now };
}

function stateAfter(
  state: EffectPending,
  decision: Exclude<Decision, { kind: "fail" }>,
  world: PlanningWorld,
): OperationState {
  const scope = { ...scopeOf(state), latestAssistantEntryId: state.responseEntryId };
  const source = sourceOf(state);
  switch (decision.kind) {
    case "retry": {
      if (state.at !== "assistant.effect_pending") throw new InvariantError("A poll is never retried");
      const { nextAttempt, notBefore, errorMessage } = decision;
      const { generationContext } = state;
      return { ...scope, at: "assistant.retry_wait", generationContext, nextAttempt, notBefore, errorMessage };
    }
    case "suspend":
      return {
        ...scope,
        ...source,
        at: "deferred.suspended",
        sourceEntryId: state.responseEntryId,
        poll: decision.poll,
      };
    case "tools": {
      const calls = decision.sourceIndexes.map((sourceIndex) => ({
        sourceIndex,
        resultEntryId: world.nextId(),
        status: "planned" as const,
      }));
      const { configuration, stepId: turnId } = source;
      return {
        ...scope,
        at: "tools",
        batch: { assistantEntryId: state.responseEntryId, configuration, turnId, calls },
      };
    }
    default:
      return checkpoint(state);
  }
}

function checkpoint(state: EffectPending): OperationState {
  return {
    ...scopeOf(state),
    latestAssistantEntryId: state.responseEntryId,
    at: "checkpoint",
    continuation: { kind: "may_finish", includeFinalAssistant: true },
    triggerEntryId: state.responseEntryId,
  };
}

function sourceOf(state: EffectPending) {
  const { stepId, configuration, streamOptions } =
    state.at === "assistant.effect_pending" ? state.generationContext : state;
  return { stepId, configuration, streamOptions };
}
