/**
 * pi has no call for external finalization (K3). This is what an authorised outside party can do with its public API:
 * one terminal transaction through the session's mutation line.
 */
import type { OperationMeta, OperationState, Session, SessionMutator, Write } from "@earendil-works/pi-agent-core";
import type { CallOutcome } from "../../../machines/index.ts";
import { finalizedCode, laneName } from "../adapter.ts";
import type { Pi } from "./package.ts";

/** The session refuses with a plain error when it is closed. */
const sessionClosedMessage = "Session is closed";

export async function finalizeOperation(pi: Pi, session: Session, lane: string = laneName): Promise<CallOutcome> {
  try {
    return await session.mutate((mutator) => finalizeOn(pi, mutator, lane), pi.BACKGROUND_CONTEXT);
  } catch (error) {
    if (error instanceof Error && error.message === sessionClosedMessage) return "closed";
    throw error;
  }
}

async function finalizeOn(pi: Pi, mutator: SessionMutator, name: string): Promise<CallOutcome> {
  const context = pi.BACKGROUND_CONTEXT;
  const lane = (await mutator.getValue(pi.laneState(name), context))?.value;
  const operationId = lane?.currentOperationId;
  if (lane === undefined || operationId === null || operationId === undefined) return "refused";
  const meta = (await mutator.getValue(pi.operationMeta(operationId), context))?.value;
  const state = (await mutator.getValue(pi.operationState(operationId), context))?.value;
  const tip = await mutator.getValue(pi.branchTip(name), context);
  if (meta === undefined || state === undefined) throw new Error(`Operation ${operationId} has no durable state`);
  await mutator.commit(
    [
      ...(await ownedDeletes(pi, mutator, operationId, state)),
      pi.setValue(pi.operationResult(operationId), finalRecord(meta, tip?.value ?? null)),
      pi.setValue(pi.laneState(name), { ...lane, currentOperationId: null, lastOperationId: operationId }),
    ],
    context,
  );
  return "ok";
}

/** Every address that the operation owns, as pi's own terminal transaction deletes them. */
async function ownedDeletes(pi: Pi, mutator: SessionMutator, operationId: string, state: OperationState) {
  const prefixes = [
    pi.operationToolArgsPrefix(operationId),
    pi.operationToolMemoPrefix(operationId),
    pi.operationPreparationPrefix(operationId),
    pi.pendingToolOutputPrefix(operationId),
  ];
  const deletes: Write[] = [
    pi.deleteValue(pi.operationMeta(operationId)),
    pi.deleteValue(pi.operationState(operationId)),
    ...stagedResults(state).map((entryId) => pi.deleteValue(pi.pendingEntry(entryId))),
  ];
  for (const prefix of prefixes) {
    const found = await mutator.scanValues(pi.value(prefix.namespace, prefix.key), pi.BACKGROUND_CONTEXT);
    deletes.push(...found.map(({ address }) => pi.deleteValue(address)));
  }
  if (state.at === "assistant.effect_pending" || state.at === "deferred.effect_pending") {
    deletes.push(pi.deleteList(pi.pendingAssistantFrames(operationId, state.responseEntryId)));
  }
  return deletes;
}

/** Tool results that are recorded and not yet placed in the transcript. */
const stagedResults = (state: OperationState): readonly string[] =>
  state.at === "tools"
    ? state.batch.calls.filter((call) => call.status === "outcome_ready").map((call) => call.resultEntryId)
    : [];

const finalRecord = (meta: OperationMeta, tipId: string | null) => ({
  operationId: meta.operationId,
  kind: meta.intent.kind,
  status: "failed" as const,
  error: { code: finalizedCode, message: "The operation was ended by an outside party" },
  fromTipId: meta.sourceTipId,
  tipId,
  startedAt: meta.startedAt,
  endedAt: Date.now(),
});
