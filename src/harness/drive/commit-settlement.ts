/** Commits a planned settlement, and tells listeners of it when the store has replied (D1, J1). */
import { pendingResponse } from "../../durable/state.ts";
import type { Plan } from "../../session/core.ts";
import { landedEntry, landedRow } from "../../storage/contract/landed.ts";
import type { CommitResult } from "../../storage/contract/storage.ts";
import type { ActivationOutcome } from "../options.ts";
import { type PlanningWorld, planSettlement, type Response, type Settlement } from "../settlement/plan-settlement.ts";
import { type Drive, DriveOver } from "./drive.ts";

/** Whether this operation and this response still own the lane, as replied (C4). */
export function ownsResponse(drive: Drive, responseEntryId: string): boolean {
  const operation = drive.lane.view?.operation;
  if (drive.over || operation?.meta.operationId !== drive.operationId) return false;
  return pendingResponse(operation.state)?.responseEntryId === responseEntryId;
}

/** Settles a response that this process observed to its end. */
export function settleResponse(
  drive: Drive,
  responseEntryId: string,
  response: Response,
): Promise<ActivationOutcome | undefined> {
  return drive.transact((view, operation) => {
    const state = pendingResponse(operation.state);
    if (state?.responseEntryId !== responseEntryId) throw new DriveOver();
    const settlement = planSettlement(view, operation, state, response, planningWorld(drive));
    return settlementPlan(drive, settlement, false);
  });
}

/** A settlement as a plan: when it is replied, listeners are told (J1). */
export function settlementPlan(
  drive: Drive,
  settlement: Settlement,
  recovered: boolean,
): Plan<ActivationOutcome | undefined> {
  const { writes, next } = settlement;
  return { writes, next, replied: (commit) => tellSettled(drive, settlement, commit, recovered) };
}

/** The ids and the time that a settlement is planned with. */
export function planningWorld(drive: Drive): PlanningWorld {
  const { clock, ids } = drive.core;
  return { now: () => clock.now(), nextId: () => ids.next(clock.now()) };
}

function tellSettled(
  drive: Drive,
  settlement: Settlement,
  commit: CommitResult,
  recovered: boolean,
): ActivationOutcome | undefined {
  const { decision, entry, row, result } = settlement;
  const added = landedEntry(entry, commit, 0);
  const tag = recovered ? ({ recovery: true } as const) : {};
  drive.live = undefined;
  if (recovered) {
    const { message } = decision;
    void drive.emit({ type: "message_start", message, ...tag });
    void drive.emit({ type: "message_end", message, entryId: entry.id, ...tag });
  }
  void drive.emit({ type: "entry_added", entry: added, ...tag });
  void drive.emit({ type: "usage", row: landedRow(row, commit, 1), ...tag });
  if (decision.kind === "retry") {
    void drive.emit({ type: "retry_scheduled", attempt: decision.nextAttempt, notBefore: decision.notBefore });
  }
  if (result === undefined) return undefined;
  void drive.emit({ type: "operation_end", result });
  const outcome: ActivationOutcome = { kind: "settled", result };
  drive.finish(outcome);
  return outcome;
}
