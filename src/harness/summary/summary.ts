/** The call `summarize`: one request and one transaction on an idle lane (H1). */
import type { AssistantMessage } from "@earendil-works/pi-ai";
import { branchTip } from "../../addresses/builtins.ts";
import type { BranchSummaryEntry, NewEntry, NewUsageRow } from "../../durable/entries.ts";
import { InvariantError, LaneBusy, LaneMoved, SummaryFailed } from "../../errors.ts";
import type { Plan, SessionCore } from "../../session/core.ts";
import type { LaneView } from "../../session/lane-view.ts";
import { landedEntry, landedRow } from "../../storage/contract/landed.ts";
import type { CommitResult } from "../../storage/contract/storage.ts";
import { insertEntry, insertUsage, setValue } from "../../storage/contract/writes.ts";
import { readUsage } from "../reading/usage.ts";
import type { LaneRuntime } from "../state/runtime.ts";
import { requestSummary, summaryAborted } from "./request.ts";

/** What one summary is asked for. */
export interface SummarizeOptions {
  /** What the model is asked for. Default: a summary from which the conversation can go on. */
  instructions?: string;
  /** Aborts the summary until its transaction has its turn. */
  signal?: AbortSignal;
}

/** A finished summary and the tip of the branch that it speaks of. */
interface Summarized {
  readonly tipId: string | null;
  readonly text: string;
  readonly response: AssistantMessage;
}

/** An entry and its usage row, for which ids are taken. */
interface Reserved {
  readonly entry: NewEntry<BranchSummaryEntry>;
  readonly row: NewUsageRow;
}

/**
 * Structural generation (H1): the model summarizes an idle lane. It holds no turn of the line and writes nothing while
 * it streams, so whatever ends it leaves nothing behind; one transaction then writes entry, usage and tip.
 */
export function summarize(runtime: LaneRuntime, options: SummarizeOptions): Promise<BranchSummaryEntry> {
  const { core } = runtime.scope;
  const request = new AbortController();
  const given = options.signal;
  const signal = given === undefined ? request.signal : AbortSignal.any([given, request.signal]);
  const call = core.call(() => generateAndCommit(runtime, options.instructions, signal));
  // Close, fault and refusal alike: nobody waits for the provider any more (K1, K2).
  call.catch(() => request.abort());
  return call;
}

async function generateAndCommit(
  runtime: LaneRuntime,
  instructions: string | undefined,
  signal: AbortSignal,
): Promise<BranchSummaryEntry> {
  const { core } = runtime.scope;
  const summarized = await unlessAborted(runtime.name, signal, () => generate(runtime, instructions, signal));
  return core.transact(runtime.name, (view) => {
    if (signal.aborted) throw summaryAborted(runtime.name);
    return planSummary(runtime, view, summarized);
  });
}

async function generate(
  runtime: LaneRuntime,
  instructions: string | undefined,
  signal: AbortSignal,
): Promise<Summarized> {
  const view = await runtime.scope.core.atTurn(runtime.name, requireIdle);
  const response = await requestSummary(runtime.scope, view, instructions, signal);
  return { tipId: view.tipId, text: summaryText(view.lane, response), response };
}

/** Settles as `work` does, or at once when the signal is pulled: no provider is waited for. */
function unlessAborted<T>(lane: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const abort = () => reject(summaryAborted(lane));
    if (signal.aborted) {
      abort();
      return;
    }
    signal.addEventListener("abort", abort, { once: true });
    work()
      .finally(() => signal.removeEventListener("abort", abort))
      .then(resolve, reject);
  });
}

function requireIdle(view: LaneView | undefined): LaneView {
  if (view === undefined) throw new InvariantError("The lane was not set up");
  const open = view.laneState.currentOperationId;
  if (open !== null) throw new LaneBusy(view.lane, open);
  return view;
}

/** A response that failed, or that is something else than text, is no summary. */
function summaryText(lane: string, { stopReason, content, errorMessage }: AssistantMessage): string {
  if (stopReason === "error" || stopReason === "aborted") {
    const what = errorMessage ?? "no reason given";
    throw new SummaryFailed(lane, "provider_error", `the provider ended with "${stopReason}": ${what}`);
  }
  const text = content.map((block) => (block.type === "text" ? block.text : "")).join("");
  if ((stopReason === "stop" || stopReason === "length") && text.trim() !== "") return text;
  throw new SummaryFailed(lane, "unusable", `the model answered without a text (it stopped for "${stopReason}")`);
}

/** Entry and usage stand together, on the tip that was summarized, or nothing is written. */
function planSummary(
  runtime: LaneRuntime,
  current: LaneView | undefined,
  summarized: Summarized,
): Plan<BranchSummaryEntry> {
  const view = requireIdle(current);
  if (view.tipId !== summarized.tipId) throw new LaneMoved(view.lane, summarized.tipId, view.tipId);
  const { entry, row } = reserve(runtime.scope.core, summarized);
  return {
    writes: [insertEntry(entry), insertUsage(row), setValue(branchTip(view.lane), entry.id)],
    next: { ...view, tipId: entry.id },
    replied: (commit) => tellSummary(runtime, { entry, row }, commit),
  };
}

function reserve({ ids, clock }: SessionCore, { tipId, text, response }: Summarized): Reserved {
  const { usage, unread } = readUsage(response.usage);
  const id = ids.next(clock.now());
  return {
    entry: { id, parentId: tipId, type: "branch_summary", fromId: tipId, summary: text, usage, fromHook: false },
    row: {
      id: ids.next(clock.now()),
      usage,
      entryId: id,
      adjustment: false,
      ...(unread.length > 0 && { details: { unread } }),
    },
  };
}

function tellSummary(runtime: LaneRuntime, { entry, row }: Reserved, commit: CommitResult): BranchSummaryEntry {
  const { name: lane, scope } = runtime;
  const added = landedEntry(entry, commit, 0);
  void scope.hub.emit({ type: "entry_added", lane, entry: added });
  void scope.hub.emit({ type: "usage", lane, row: landedRow(row, commit, 1) });
  return added;
}
