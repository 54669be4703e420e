/**
 * The durable state of the lane, read from replayed transactions and abstracted to the words of the machine. The stored
 * shapes are those that A2 names; nothing here asks an implementation.
 */
import type { AssistantMessage, DeferredHandle } from "@earendil-works/pi-ai";
import { type At, type Outcome, type ToolPlan, type ToolProgress, toolNames } from "../../machines/index.ts";
import { finalizedCode, laneName } from "../adapters/adapter.ts";
import { callsOf, plannerOf, type StoredBatch, type StoredCall } from "./batch.ts";
import { framesNamespace } from "./commit-names.ts";
import type { Interpreter, ReplayedElement } from "./interpreter.ts";

/** The scalar fields of `pi.op.state` that matter here. */
export interface OperationScalars {
  readonly operationId: string;
  readonly at: string;
  readonly cancelled: boolean;
  readonly attempt: number | undefined;
  readonly poll: number | undefined;
  /** The planned calls, at `tools`. */
  readonly batch: StoredBatch | undefined;
  readonly nextAttempt: number | undefined;
  readonly responseEntryId: string | undefined;
  readonly usageId: string | undefined;
  readonly notBefore: number | undefined;
  readonly mayFinish: boolean;
}

export interface DurableObservation {
  readonly at: At | `unknown: ${string}`;
  readonly control: "running" | "cancelled";
  readonly attempt: number;
  readonly poll: number;
  readonly listed: number;
  readonly plan: ToolPlan | "refuse" | null;
  readonly outcome: Outcome | null;
}

interface StoredState {
  at: string;
  control: { status: string };
  attempt?: number;
  poll?: number;
  batch?: StoredBatch;
  nextAttempt?: number;
  responseEntryId?: string;
  usageId?: string;
  notBefore?: number;
  continuation?: { kind: string };
}

interface StoredResult {
  status: "completed" | "failed" | "aborted";
  error?: { code: string };
}

interface StoredLane {
  currentOperationId: string | null;
  lastOperationId: string | null;
}

/** What was read since the last landing: several readers of one step ask for the same. */
interface Reading {
  readonly version: number;
  readonly scalars: OperationScalars | undefined;
  readonly frames: readonly ReplayedElement[];
  readonly observation: DurableObservation;
}

const readings = new WeakMap<Interpreter, Reading>();

function reading(durable: Interpreter): Reading {
  const known = readings.get(durable);
  if (known?.version === durable.version) return known;
  const scalars = readScalars(durable);
  const frames = readFrames(durable, scalars);
  const fresh = { version: durable.version, scalars, frames, observation: readObservation(durable, scalars, frames) };
  readings.set(durable, fresh);
  return fresh;
}

export const operationScalars = (durable: Interpreter): OperationScalars | undefined => reading(durable).scalars;

/** The frames that the open operation's current response has in its list. */
export const currentFrames = (durable: Interpreter): readonly ReplayedElement[] => reading(durable).frames;

/** The keys of the lists of all pending responses, on whatever lane. */
export const pendingLists = (durable: Interpreter): readonly string[] =>
  durable
    .values((namespace) => namespace === "pi.op.state")
    .flatMap(({ key, value }) => {
      const { responseEntryId } = value as StoredState;
      return responseEntryId === undefined ? [] : [`${key}:${responseEntryId}`];
    });

export const observeDurable = (durable: Interpreter): DurableObservation => reading(durable).observation;

function readScalars(durable: Interpreter): OperationScalars | undefined {
  const lane = durable.value("pi.lane.state", laneName) as StoredLane | undefined;
  const operationId = lane?.currentOperationId;
  if (operationId === null || operationId === undefined) return undefined;
  const state = durable.value("pi.op.state", operationId) as StoredState | undefined;
  if (state === undefined) return undefined;
  return {
    operationId,
    at: state.at,
    cancelled: state.control.status === "cancel_requested",
    attempt: state.attempt,
    poll: state.poll,
    batch: state.batch,
    nextAttempt: state.nextAttempt,
    responseEntryId: state.responseEntryId,
    usageId: state.usageId,
    notBefore: state.notBefore,
    mayFinish: state.continuation?.kind === "may_finish",
  };
}

function readFrames(durable: Interpreter, state: OperationScalars | undefined): readonly ReplayedElement[] {
  if (state?.responseEntryId === undefined) return [];
  return durable.list(framesNamespace, `${state.operationId}:${state.responseEntryId}`);
}

function readObservation(
  durable: Interpreter,
  state: OperationScalars | undefined,
  frames: readonly ReplayedElement[],
): DurableObservation {
  if (state === undefined) {
    const nothing = { attempt: 0, poll: 0, listed: 0, plan: null };
    return { at: "none", control: "running", ...nothing, outcome: lastOutcome(durable) };
  }
  const at = place(state, plannedCallsIn(durable, state));
  const attempt = { effect_pending: state.attempt, retry_wait: state.nextAttempt }[at as string] ?? 0;
  return {
    at,
    control: state.cancelled ? "cancelled" : "running",
    attempt,
    poll: state.poll ?? 0,
    listed: frames.length,
    plan: at === "tools" ? planOf(durable, state) : null,
    outcome: null,
  };
}

function place(state: OperationScalars, calls: readonly StoredCall[]): DurableObservation["at"] {
  // Under a cancel nothing is asked any more: the operation has only to end (F4).
  const ready = state.cancelled ? "checkpoint" : "ready";
  switch (state.at) {
    case "starting":
      return ready;
    case "assistant.ready":
      // A later attempt that has been woken and not yet reserved: the wait is over, and nothing else has changed (E7).
      return (state.nextAttempt ?? 1) > 1 ? "retry_wait" : ready;
    case "checkpoint":
      return state.mayFinish ? "checkpoint" : ready;
    case "assistant.effect_pending":
      return "effect_pending";
    case "assistant.retry_wait":
      return "retry_wait";
    case "tools":
      // With every result durable only their place in the transcript may be open.
      return calls.some(({ progress }) => progress !== "done") ? "tools" : ready;
    case "deferred.suspended":
    case "deferred.effect_pending":
      return state.at;
    default:
      return `unknown: ${state.at}`;
  }
}

/** The planned calls of the open operation, at `tools`. */
export function plannedCallsIn(durable: Interpreter, state = operationScalars(durable)): readonly StoredCall[] {
  return state?.at === "tools" && state.batch !== undefined ? callsOf(state.batch, durable) : [];
}

/** A response that was cut off plans its calls and executes none (D5). */
function planOf(durable: Interpreter, state: OperationScalars): ToolPlan | "refuse" {
  const planner = plannerOf(state.batch?.assistantEntryId ?? "", durable);
  if (planner?.stopReason === "length") return "refuse";
  const calls = plannedCallsIn(durable, state);
  return Object.fromEntries(toolNames.map((tool, at) => [tool, progressOf(calls[at])])) as ToolPlan;
}

function progressOf(call: StoredCall | undefined): ToolProgress {
  if (call?.progress === "marked") return call.marks > 1 ? "marked again" : "marked";
  return call?.progress ?? "done";
}

/** The handle of the newest deferred response, which is the one to poll with. */
export function newestHandle(durable: Interpreter): DeferredHandle | undefined {
  for (const { message } of durable.entries.toReversed()) {
    const { stopReason, deferred } = message.value as Partial<AssistantMessage>;
    if (stopReason === "deferred") return deferred;
  }
  return undefined;
}

/** The operation that was the last to end. */
export function lastEnded(durable: Interpreter): string | undefined {
  const lane = durable.value("pi.lane.state", laneName) as StoredLane | undefined;
  return lane?.lastOperationId ?? undefined;
}

function lastOutcome(durable: Interpreter): Outcome | null {
  const operationId = lastEnded(durable);
  if (operationId === undefined) return null;
  const result = durable.value("pi.result", operationId) as StoredResult | undefined;
  if (result === undefined) return null;
  return result.error?.code === finalizedCode ? "finalized" : result.status;
}
