/** Plans the transactions of a tool batch: the mark before a call starts, and results as they come (Q1). */
import type { ToolCall, ToolResultMessage } from "@earendil-works/pi-ai";
import { branchTip, operationState, operationToolArgs, pendingEntry } from "../../addresses/builtins.ts";
import type { NewEntry } from "../../durable/entries.ts";
import type { BatchCall, FinishedCall, MarkedCall, OperationState, Tools } from "../../durable/state.ts";
import { InvariantError } from "../../errors.ts";
import type { LaneView, Operation } from "../../session/lane-view.ts";
import type { Storage } from "../../storage/contract/storage.ts";
import { deleteValue, insertEntry, setValue, type Write } from "../../storage/contract/writes.ts";

/** What a transaction of a batch writes, and the lane after it. */
export interface BatchStep {
  readonly writes: Write[];
  readonly next: LaneView;
}

/** Results that became durable, and those of them that the transcript gained. */
export interface Results extends BatchStep {
  readonly placed: readonly NewEntry[];
}

/** How a plan reads what is durable. */
export type Read = <T>(query: (storage: Storage) => Promise<T>) => Promise<T>;

/** Whether the result of a call is durable. */
export const isFinished = (call: BatchCall): call is FinishedCall =>
  call.status === "outcome_ready" || call.status === "completed";

/** The open batch of an operation. @throws {InvariantError} when it is not at its tools. */
export function toolsOf({ state }: Operation): Tools {
  if (state.at !== "tools") throw new InvariantError(`No tools are planned at "${state.at}"`);
  return state;
}

/** The mark of one call: from here on nobody may take it for one that was not started (Q1). */
export function planMark(view: LaneView, operation: Operation, marked: MarkedCall, source: ToolCall): BatchStep {
  const { operationId } = operation.meta;
  const state = toolsOf(operation);
  const args = operationToolArgs(operationId, state.batch.turnId, marked.sourceIndex);
  const { writes, next } = moveTo(view, operation, withCalls(state, new Map([[marked.resultEntryId, marked]])));
  return { writes: [setValue(args, source.arguments), ...writes], next };
}

/**
 * Makes results durable. Those whose turn it is, in the order of the calls, become entries; the others wait at their
 * pending address. With the last one the operation goes on to the state that `after` gives.
 */
export async function planResults(
  view: LaneView,
  operation: Operation,
  results: ReadonlyMap<string, ToolResultMessage>,
  read: Read,
  after: (moved: LaneView, state: Tools, lastEntryId: string) => OperationState,
): Promise<Results> {
  const state = toolsOf(operation);
  const ready = withCalls(state, new Map([...results.keys()].map((id) => [id, finished("outcome_ready")])));
  const due = dueCalls(ready.batch.calls);
  const placed = await entriesOf(view, due, results, read);
  const ids = new Set(due.map(({ resultEntryId }) => resultEntryId));
  const reached = withCalls(ready, new Map([...ids].map((id) => [id, finished("completed")])));
  const moved = { ...view, tipId: placed.at(-1)?.id ?? view.tipId };
  const { writes, next } = leave(moved, operation, reached, after);
  return {
    writes: [
      ...placed.map(insertEntry),
      ...due
        .filter(({ resultEntryId: id }) => !results.has(id))
        .map(({ resultEntryId: id }) => deleteValue(pendingEntry(id))),
      ...[...results]
        .filter(([id]) => !ids.has(id))
        .map(([id, payload]) => setValue(pendingEntry(id), { type: "message", payload })),
      ...(placed.length > 0 ? [setValue(branchTip(view.lane), moved.tipId)] : []),
      ...writes,
    ],
    next,
    placed,
  };
}

type Change = Partial<BatchCall>;

const finished = (status: FinishedCall["status"]): Change => ({ status, terminate: false });

function withCalls(state: Tools, changes: ReadonlyMap<string, Change>): Tools {
  const calls = state.batch.calls.map((call): BatchCall => {
    const change = changes.get(call.resultEntryId);
    const { sourceIndex, resultEntryId } = call;
    return change === undefined ? call : ({ sourceIndex, resultEntryId, ...change } as BatchCall);
  });
  return { ...state, batch: { ...state.batch, calls } };
}

/** The calls whose results become entries now: those that wait, up to the first one without a result. */
function dueCalls(calls: readonly BatchCall[]): readonly BatchCall[] {
  const open = calls.findIndex((call) => !isFinished(call));
  return (open === -1 ? calls : calls.slice(0, open)).filter(({ status }) => status === "outcome_ready");
}

async function entriesOf(
  view: LaneView,
  due: readonly BatchCall[],
  results: ReadonlyMap<string, ToolResultMessage>,
  read: Read,
): Promise<NewEntry[]> {
  const entries: NewEntry[] = [];
  let parentId = view.tipId;
  for (const { resultEntryId: id } of due) {
    const message = results.get(id) ?? (await waitingResult(id, read));
    entries.push({ id, parentId, type: "message", message });
    parentId = id;
  }
  return entries;
}

async function waitingResult(id: string, read: Read): Promise<ToolResultMessage> {
  const pending = (await read((storage) => storage.getValue(pendingEntry(id))))?.value;
  if (pending?.type !== "message" || pending.payload.role !== "toolResult") {
    throw new InvariantError(`The result ${id} is not where it was written`);
  }
  return pending.payload;
}

function leave(
  view: LaneView,
  operation: Operation,
  reached: Tools,
  after: (moved: LaneView, state: Tools, lastEntryId: string) => OperationState,
): BatchStep {
  const { calls, turnId } = reached.batch;
  const last = view.tipId;
  if (last === null || calls.some(({ status }) => status !== "completed")) return moveTo(view, operation, reached);
  const { writes, next } = moveTo(view, operation, after(view, reached, last));
  const { operationId } = operation.meta;
  const args = calls.map(({ sourceIndex }) => deleteValue(operationToolArgs(operationId, turnId, sourceIndex)));
  return { writes: [...writes, ...args], next };
}

function moveTo(view: LaneView, operation: Operation, state: OperationState): BatchStep {
  return {
    writes: [setValue(operationState(operation.meta.operationId), state)],
    next: { ...view, operation: { ...operation, state } },
  };
}
