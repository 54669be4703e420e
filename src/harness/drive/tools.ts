/** The step of a tool batch: runs the planned calls and commits all results at once (N10, D5). */
import type { AssistantMessage, ToolCall, ToolResultMessage } from "@earendil-works/pi-ai";
import { branchTip, operationState } from "../../addresses/builtins.ts";
import type { NewEntry } from "../../durable/entries.ts";
import { frozenCopy } from "../../durable/json.ts";
import { isCancelled, type OperationState, scopeOf, type Tools } from "../../durable/state.ts";
import { InvariantError } from "../../errors.ts";
import type { Plan } from "../../session/core.ts";
import type { LaneView, Operation } from "../../session/lane-view.ts";
import { landedEntry } from "../../storage/contract/landed.ts";
import type { CommitResult } from "../../storage/contract/storage.ts";
import { insertEntry, setValue } from "../../storage/contract/writes.ts";
import type { ToolOutcome, ToolRequest } from "../options.ts";
import { captureGeneration } from "../state/scope.ts";
import { reportHook } from "./after-response.ts";
import type { Drive } from "./drive.ts";

interface PlannedTool {
  readonly call: ToolCall;
  readonly resultEntryId: string;
}

/**
 * Runs the planned calls and inserts all results in one transaction. After a restart the same plan runs again, with
 * the same result ids.
 */
export async function runTools(drive: Drive, state: Tools): Promise<undefined> {
  const message = await sourceOf(drive, state);
  const planned = planOf(state, message);
  drive.assertAlive();
  const outcomes = await outcomesOf(drive, state, message, planned);
  drive.assertAlive();
  await drive.transact((view, operation) => planResults(drive, view, operation, planned, outcomes));
  return undefined;
}

async function sourceOf(drive: Drive, { batch }: Tools): Promise<AssistantMessage> {
  const entries = await drive.core.read((storage) => storage.getEntries([batch.assistantEntryId]));
  const entry = entries.get(batch.assistantEntryId);
  if (entry?.type !== "message" || entry.message.role !== "assistant") {
    throw new InvariantError(`Entry ${batch.assistantEntryId} is no assistant response`);
  }
  return entry.message;
}

function planOf({ batch }: Tools, message: AssistantMessage): PlannedTool[] {
  return batch.calls.map(({ sourceIndex, resultEntryId }) => {
    const call = message.content[sourceIndex];
    if (call?.type !== "toolCall") throw new InvariantError(`There is no tool call at index ${sourceIndex}`);
    return { call, resultEntryId };
  });
}

/** `undefined` means that no call finished before the cancel (F4). */
async function outcomesOf(
  drive: Drive,
  state: Tools,
  message: AssistantMessage,
  planned: readonly PlannedTool[],
): Promise<ToolOutcome[] | undefined> {
  if (drive.lane.cancelRequested) return undefined;
  // The arguments of a response that ran out of tokens may be cut short, so none of its calls is executed (D5).
  if (message.stopReason === "length") return failAll(planned, "Not executed: the response reached its length limit");
  const runner = drive.scope.options.hooks?.runTools;
  if (runner === undefined) return failAll(planned, "Not executed: this harness runs no tools");
  const calls = planned.map(requestOf);
  const { batch } = state;
  const input = { lane: drive.lane.name, operationId: drive.operationId, assistantEntryId: batch.assistantEntryId };
  const running = guarded(drive, planned, async () => runner({ ...input, calls, signal: drive.signal }));
  return Promise.race([running, drive.whenPulled().then(() => undefined)]);
}

async function guarded(
  drive: Drive,
  planned: readonly PlannedTool[],
  run: () => Promise<ToolOutcome[]>,
): Promise<ToolOutcome[]> {
  try {
    return frozenCopy(await run());
  } catch (error) {
    if (!drive.over) reportHook(drive, error, "runTools");
    return failAll(planned, `The tool runner failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function requestOf({ call, resultEntryId }: PlannedTool): ToolRequest {
  return { toolCallId: call.id, name: call.name, arguments: structuredClone(call.arguments), resultEntryId };
}

function failAll(planned: readonly PlannedTool[], text: string): ToolOutcome[] {
  return planned.map(() => failure(text));
}

function failure(text: string): ToolOutcome {
  return { content: [{ type: "text", text }], isError: true };
}

function planResults(
  drive: Drive,
  view: LaneView,
  operation: Operation,
  planned: readonly PlannedTool[],
  outcomes: ToolOutcome[] | undefined,
): Plan<void> {
  const now = drive.core.clock.now();
  const cancelled = isCancelled(operation.state);
  const missing = failure(cancelled ? "Aborted: the operation was cancelled" : "The tool runner gave no result");
  let parentId = view.tipId;
  const entries = planned.map((tool, index): NewEntry => {
    const message = resultMessage(tool.call, outcomes?.[index] ?? missing, now);
    const entry: NewEntry = { id: tool.resultEntryId, parentId, type: "message", message };
    parentId = entry.id;
    return entry;
  });
  const moved = { ...view, tipId: parentId };
  const state = stateAfter(drive, moved, operation.state, cancelled);
  return {
    writes: [
      ...entries.map(insertEntry),
      setValue(branchTip(view.lane), parentId),
      setValue(operationState(drive.operationId), state),
    ],
    next: { ...moved, operation: { ...operation, state } },
    replied: (commit) => tellResults(drive, entries, commit),
  };
}

function resultMessage(call: ToolCall, outcome: ToolOutcome, timestamp: number): ToolResultMessage {
  return {
    role: "toolResult",
    toolCallId: call.id,
    toolName: call.name,
    content: outcome.content,
    ...(outcome.details !== undefined && { details: outcome.details }),
    isError: outcome.isError ?? false,
    timestamp,
  };
}

/** The model sees the results next, unless the operation is cancelled. */
function stateAfter(drive: Drive, view: LaneView, state: OperationState, cancelled: boolean): OperationState {
  const triggerEntryId = view.tipId;
  if (triggerEntryId === null) throw new InvariantError("A tool batch without results");
  const scope = scopeOf(state);
  if (cancelled) {
    const continuation = { kind: "may_finish", includeFinalAssistant: true } as const;
    return { ...scope, at: "checkpoint", continuation, triggerEntryId };
  }
  const generationContext = captureGeneration(drive.scope, view, triggerEntryId);
  return { ...scope, at: "assistant.ready", generationContext, nextAttempt: 1 };
}

function tellResults(drive: Drive, entries: readonly NewEntry[], commit: CommitResult): void {
  entries.forEach((entry, index) => {
    void drive.emit({ type: "entry_added", entry: landedEntry(entry, commit, index) });
  });
}
