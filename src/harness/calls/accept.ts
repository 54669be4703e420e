/** The call `accept`: opens an operation with a prompt, in one transaction (O1). */
import type { Message } from "@earendil-works/pi-ai";
import { branchTip, laneState, operationMeta, operationState } from "../../addresses/builtins.ts";
import type { NewEntry } from "../../durable/entries.ts";
import type { OperationMeta } from "../../durable/operation.ts";
import type { AssistantReady } from "../../durable/state.ts";
import { InvariantError, LaneBusy } from "../../errors.ts";
import type { Plan } from "../../session/core.ts";
import type { LaneView } from "../../session/lane-view.ts";
import { landedEntry } from "../../storage/contract/landed.ts";
import type { CommitResult } from "../../storage/contract/storage.ts";
import { insertEntry, setValue } from "../../storage/contract/writes.ts";
import { captureGeneration, type HarnessScope, runSettingsOf } from "../state/scope.ts";

/** The input of a run: one user message, or messages as they are. */
export type Prompt = string | Message[];

/** The operation that was opened. */
export interface Accepted {
  operationId: string;
  /** In milliseconds since the epoch. */
  startedAt: number;
}

/** Plans the acceptance of a run; it starts no effect (O1). */
export function planAccept(scope: HarnessScope, view: LaneView | undefined, prompt: Prompt): Plan<Accepted> {
  if (view === undefined) throw new InvariantError("The lane was not set up");
  const open = view.laneState.currentOperationId;
  if (open !== null) throw new LaneBusy(view.lane, open);
  const startedAt = scope.core.clock.now();
  const operationId = scope.core.ids.next(startedAt);
  const entries = promptEntries(scope, view, prompt, startedAt);
  const tipId = entries.at(-1)?.id;
  if (tipId === undefined) throw new InvariantError("A prompt without messages");
  const meta = metaOf(view, operationId, startedAt, entries);
  const moved = { ...view, tipId };
  const state: AssistantReady = {
    control: { status: "running" },
    settings: runSettingsOf(scope.options),
    latestAssistantEntryId: null,
    at: "assistant.ready",
    generationContext: captureGeneration(scope, moved, tipId),
    nextAttempt: 1,
  };
  const busy = { ...view.laneState, currentOperationId: operationId };
  return {
    writes: [
      ...entries.map(insertEntry),
      setValue(branchTip(view.lane), tipId),
      setValue(operationMeta(operationId), meta),
      setValue(operationState(operationId), state),
      setValue(laneState(view.lane), busy),
    ],
    next: { ...moved, laneState: busy, operation: { meta, state } },
    replied: (commit) => tellAccepted(scope, meta, entries, commit),
  };
}

/** Refuses a prompt without messages before it is queued. */
export function assertPrompt(prompt: Prompt): void {
  if (prompt.length === 0) throw new TypeError("A prompt needs at least one message");
}

function promptEntries(scope: HarnessScope, view: LaneView, prompt: Prompt, now: number): NewEntry[] {
  const messages: Message[] = typeof prompt === "string" ? [{ role: "user", content: prompt, timestamp: now }] : prompt;
  let parentId = view.tipId;
  return messages.map((message) => {
    const entry: NewEntry = { id: scope.core.ids.next(now), parentId, type: "message", message };
    parentId = entry.id;
    return entry;
  });
}

function metaOf(view: LaneView, operationId: string, startedAt: number, entries: NewEntry[]): OperationMeta {
  const intent = { kind: "run" as const, promptEntryIds: entries.map((entry) => entry.id) };
  return { operationId, lane: view.lane, sourceTipId: view.tipId, startedAt, intent };
}

function tellAccepted(
  scope: HarnessScope,
  { lane, operationId, startedAt }: OperationMeta,
  entries: readonly NewEntry[],
  commit: CommitResult,
): Accepted {
  void scope.hub.emit({ type: "operation_start", lane, operationId });
  entries.forEach((entry, index) => {
    void scope.hub.emit({ type: "entry_added", lane, operationId, entry: landedEntry(entry, commit, index) });
  });
  return { operationId, startedAt };
}
