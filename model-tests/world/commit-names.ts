/** Names a transaction by its writes. Anything else is internal to the harness. */
import type { CommitName } from "../../machines/index.ts";
import type { Write } from "../../src/index.ts";
import { finalizedCode } from "../adapters/adapter.ts";
import { callsOf, changeOf, type StoredBatch } from "./batch.ts";
import type { Interpreter } from "./interpreter.ts";

const fields = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};

const setOf = (writes: readonly Write[], namespace: string): { key: string; value: unknown } | undefined => {
  for (const write of writes) {
    if (write.kind === "value" && write.op === "set" && write.namespace === namespace) return write;
  }
  return undefined;
};

const assistantEntry = (writes: readonly Write[]): string | undefined => {
  for (const write of writes) {
    if (write.kind === "entry" && "message" in write.entry && fields(write.entry.message).role === "assistant") {
      return write.entry.id;
    }
  }
  return undefined;
};

/**
 * @param requested response ids for which this process has made a provider request: the settlement of any other response
 *   is a recovery.
 * @param returned tool calls that have returned to this process: the result of any other call is made up.
 */
export function nameOfCommit(
  writes: readonly Write[],
  durable: Interpreter,
  { requested, returned }: { readonly requested: ReadonlySet<string>; readonly returned: ReadonlySet<string> },
): CommitName | "internal" {
  if (writes.some((write) => write.kind === "list" && write.op === "append" && write.namespace === framesNamespace)) {
    return "frame";
  }
  const response = assistantEntry(writes);
  if (response !== undefined) return requested.has(response) ? "settle" : "recover";
  const result = setOf(writes, "pi.result");
  if (result !== undefined) {
    return fields(fields(result.value).error).code === finalizedCode ? "finalize" : "terminal";
  }
  if (setOf(writes, "pi.op.meta") !== undefined) return "accept";
  const state = setOf(writes, "pi.op.state");
  return state === undefined
    ? "internal"
    : nameOfTransition(fields(durable.value("pi.op.state", state.key)), fields(state.value), durable, returned);
}

type State = Readonly<Record<string, unknown>>;

function nameOfTransition(before: State, after: State, durable: Interpreter, returned: ReadonlySet<string>) {
  const wasCancelled = fields(before.control).status === "cancel_requested";
  if (!wasCancelled && fields(after.control).status === "cancel_requested") return "cancel";
  const pending = after.at === "assistant.effect_pending" || after.at === "deferred.effect_pending";
  if (pending && after.responseEntryId !== before.responseEntryId) return "intent";
  return before.at === "tools" ? nameOfBatchStep(before, after, durable, returned) : "internal";
}

/** A mark comes before a start; a result is one of a call that has returned. What a harness makes up is internal. */
function nameOfBatchStep(before: State, after: State, durable: Interpreter, returned: ReadonlySet<string>) {
  const calls = (state: State) => (state.batch === undefined ? [] : callsOf(state.batch as StoredBatch, durable));
  const { marked, finished } = changeOf(calls(before), after.at === "tools" ? calls(after) : undefined);
  if (marked.length > 0) return "mark";
  return finished.some(({ call }) => returned.has(call)) ? "result" : "internal";
}

export const framesNamespace = "pi.pending.assistant_frame";
