/** The step of a tool batch: each call is marked before it starts, and each result is durable when it comes (Q1, D5). */
import type { AssistantMessage, ToolCall, ToolResultMessage } from "@earendil-works/pi-ai";
import { type BatchCall, isCancelled, type OperationState, scopeOf, type Tools } from "../../durable/state.ts";
import { InvariantError } from "../../errors.ts";
import type { Plan } from "../../session/core.ts";
import type { LaneView } from "../../session/lane-view.ts";
import { landedEntry } from "../../storage/contract/landed.ts";
import type { CommitResult } from "../../storage/contract/storage.ts";
import type { ToolOutcome } from "../options.ts";
import { isFinished, planMark, planResults, type Results, toolsOf } from "../settlement/plan-results.ts";
import { failedCall, resultMessage, toolErrors } from "../settlement/tool-result.ts";
import { captureGeneration } from "../state/scope.ts";
import { toolPolicyOf } from "../state/tool-policy.ts";
import type { Drive } from "./drive.ts";
import { runCall } from "./run-call.ts";

/** A call of the batch with its block in the response. */
interface Call {
  readonly planned: BatchCall;
  readonly source: ToolCall;
}

/** A call and what it came to. */
interface Answered {
  readonly call: Call;
  readonly outcome: ToolOutcome;
}

/**
 * Takes a batch to its end. A call that a crash has left without a result is run again only if its tool is repeatable;
 * otherwise it gets an error result. After a cancel every call without a result gets an aborted one (F4).
 */
export async function runTools(drive: Drive, state: Tools): Promise<undefined> {
  const message = await sourceOf(drive, state);
  const calls = state.batch.calls.map((planned): Call => ({ planned, source: blockOf(message, planned) }));
  drive.assertAlive();
  const open = calls.filter(({ planned }) => !isFinished(planned));
  const refused = drive.lane.cancelRequested ? [] : refusalsOf(drive, message, open);
  if (refused.length > 0 || open.length === 0) await settle(drive, refused);
  const toRun = open.filter((call) => !refused.some((refusal) => refusal.call === call));
  await drive.untilPulled(runAll(drive, state, toRun));
  drive.assertAlive();
  if (drive.lane.cancelRequested) await settleCancelled(drive, calls);
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

function blockOf(message: AssistantMessage, { sourceIndex }: BatchCall): ToolCall {
  const call = message.content[sourceIndex];
  if (call?.type !== "toolCall") throw new InvariantError(`There is no tool call at index ${sourceIndex}`);
  return call;
}

/** The calls that get an error result instead of a run. */
function refusalsOf(drive: Drive, message: AssistantMessage, open: readonly Call[]): Answered[] {
  return open.flatMap((call) => {
    const why = whyNotRun(drive, message, call);
    return why === undefined ? [] : [{ call, outcome: failedCall(why) }];
  });
}

function whyNotRun(drive: Drive, { stopReason }: AssistantMessage, { planned, source }: Call): string | undefined {
  // The arguments of a response that ran out of tokens may be cut short, so none of its calls is executed (D5).
  if (stopReason === "length") return toolErrors.cutOff;
  if (drive.scope.options.hooks?.runTool === undefined) return toolErrors.noRunner;
  if (planned.status !== "effect_pending") return undefined;
  const { repeatable, maxRuns } = toolPolicyOf(drive.scope.options);
  const mayRepeat = planned.replay === "safe" && repeatable.includes(source.name) && runsOf(planned) < maxRuns;
  return mayRepeat ? undefined : toolErrors.interrupted;
}

/** How often a call was marked. */
const runsOf = (planned: BatchCall): number => (planned.status === "effect_pending" ? (planned.runs ?? 1) : 0);

/** Starts one call after the other, each behind its mark, and waits for all of them. */
async function runAll(drive: Drive, { settings, batch }: Tools, calls: readonly Call[]): Promise<void> {
  const running: Promise<void>[] = [];
  for (const call of calls) {
    if (!(await mark(drive, call))) break;
    const run = finish(drive, batch.assistantEntryId, call);
    running.push(run);
    // A failure is met below; until then it must not count as one that nobody awaits.
    run.catch(() => {});
    if (settings.toolExecution === "sequential") await run;
  }
  await Promise.all(running);
}

/** Makes the mark durable; answers whether the call may start: not after a cancel was called (F1). */
async function mark(drive: Drive, { planned, source }: Call): Promise<boolean> {
  if (drive.lane.cancelRequested) return false;
  const { repeatable } = toolPolicyOf(drive.scope.options);
  const { sourceIndex, resultEntryId } = planned;
  const replay = repeatable.includes(source.name) ? "safe" : "never";
  const marked = { sourceIndex, resultEntryId, status: "effect_pending", replay, runs: runsOf(planned) + 1 } as const;
  await drive.transact((view, operation) =>
    isCancelled(operation.state)
      ? { value: undefined }
      : { ...planMark(view, operation, marked, source), replied: () => undefined },
  );
  drive.assertAlive();
  return !drive.lane.cancelRequested;
}

/** Runs a marked call and makes its result durable. A cancel does not wait for it; what comes later is dropped. */
async function finish(drive: Drive, assistantEntryId: string, { planned, source }: Call): Promise<void> {
  const input = { assistantEntryId, resultEntryId: planned.resultEntryId, run: runsOf(planned) + 1 };
  const outcome = await drive.untilPulled(runCall(drive, source, input));
  drive.assertAlive();
  if (outcome !== undefined) await settle(drive, [{ call: { planned, source }, outcome }]);
}

/** One transaction with the results of these calls, which may be none: then what waits is placed. */
function settle(drive: Drive, answered: readonly Answered[]): Promise<void> {
  const now = drive.core.clock.now();
  const results = answered.map(
    ({ call, outcome }) => [call.planned.resultEntryId, resultMessage(call.source, outcome, now)] as const,
  );
  return drive.transact(async (view, operation, { read }) => {
    const planned = await planResults(view, operation, new Map(results), read, (...after) =>
      stateAfter(drive, ...after),
    );
    return placing(drive, planned);
  });
}

/** At its turn behind the cancel and what had returned before its reply: every call that has no result by then gets an aborted one (F4). */
function settleCancelled(drive: Drive, calls: readonly Call[]): Promise<void> {
  return drive.transact(async (view, operation, { read }) => {
    // The cancel may have been refused.
    if (!isCancelled(operation.state) || operation.state.at !== "tools") return { value: undefined };
    const now = drive.core.clock.now();
    const results = new Map<string, ToolResultMessage>();
    toolsOf(operation).batch.calls.forEach((call, index) => {
      const { source } = calls[index] as Call;
      if (!isFinished(call)) results.set(call.resultEntryId, resultMessage(source, abortedCall(call), now));
    });
    const planned = await planResults(view, operation, results, read, (...after) => stateAfter(drive, ...after));
    return placing(drive, planned);
  });
}

const abortedCall = ({ status }: BatchCall): ToolOutcome =>
  failedCall(status === "planned" ? toolErrors.cancelledBefore : toolErrors.cancelledAmid);

const placing = (drive: Drive, { writes, next, placed }: Results): Plan<void> => ({
  writes,
  next,
  replied: (commit: CommitResult) => {
    placed.forEach((entry, index) => {
      void drive.emit({ type: "entry_added", entry: landedEntry(entry, commit, index) });
    });
  },
});

/** The model sees the results next, unless the operation is cancelled. */
function stateAfter(drive: Drive, moved: LaneView, state: Tools, triggerEntryId: string): OperationState {
  const scope = scopeOf(state);
  if (isCancelled(state)) {
    const continuation = { kind: "may_finish", includeFinalAssistant: true } as const;
    return { ...scope, at: "checkpoint", continuation, triggerEntryId };
  }
  const generationContext = captureGeneration(drive.scope, moved, triggerEntryId);
  return { ...scope, at: "assistant.ready", generationContext, nextAttempt: 1 };
}
