/** The built-in addresses. This is the only module that names one below `pi` (A2). */
import type { AssistantMessageFrame } from "@earendil-works/pi-ai";
import type {
  LaneConfiguration,
  LaneState,
  OperationMeta,
  OperationResultRecord,
  PendingEntry,
} from "../durable/operation.ts";
import type { OperationState } from "../durable/state.ts";
import { list, type Value, type ValueList, value } from "./address.ts";

/** The newest entry of a lane. */
export const branchTip = (lane: string): Value<string | null> => value("pi.branch.tip", lane);

/** The model and settings of a lane. */
export const laneConfig = (lane: string): Value<LaneConfiguration> => value("pi.lane.config", lane);

/** Which operation a lane has open. */
export const laneState = (lane: string): Value<LaneState> => value("pi.lane.state", lane);

/** What a user calls the session. */
export const sessionName: Value<string> = value("pi.session.name");

/** What a user calls an entry. */
export const entryLabel = (entryId: string): Value<string> => value("pi.entry.label", entryId);

/** The outcome of an ended operation. */
export const operationResult = (operationId: string): Value<OperationResultRecord> => value("pi.result", operationId);

/** What an open operation was accepted as. */
export const operationMeta = (operationId: string): Value<OperationMeta> => value("pi.op.meta", operationId);

/** The restart point of an open operation. */
export const operationState = (operationId: string): Value<OperationState> => value("pi.op.state", operationId);

/** The arguments of a call that was marked, until its batch is done (Q1). */
export const operationToolArgs = (
  operationId: string,
  turnId: string,
  sourceIndex: number,
): Value<Record<string, unknown>> => value("pi.op.tool_args", `${operationId}:${turnId}:${sourceIndex}`);

/** Content held under an entry id that is reserved but not inserted. */
export const pendingEntry = (entryId: string): Value<PendingEntry> => value("pi.pending.entry", entryId);

/** Where the frames of responses are that are not settled. */
export const frameNamespace = "pi.pending.assistant_frame";

/** The frames of one response that is not settled. */
export const pendingAssistantFrames = (
  operationId: string,
  responseEntryId: string,
): ValueList<AssistantMessageFrame> => list(frameNamespace, `${operationId}:${responseEntryId}`);

/** Whether a namespace is for built-ins alone (A2). */
export function isReserved(namespace: string): boolean {
  return namespace === "pi" || namespace.startsWith("pi.");
}

/** Whether a namespace is for what an open operation owns, which is gone when it ends (N12). */
export function isOperationOwned(namespace: string): boolean {
  return namespace.startsWith("pi.op.") || namespace.startsWith("pi.pending.");
}
