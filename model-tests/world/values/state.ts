/**
 * What `pi.op.state` must say beside its place, which the machine predicts (A2). A harness may leave out what only pi-agent-core
 * reads; what it does write must be right.
 */
import type { AssistantMessage } from "@earendil-works/pi-ai";
import { retryBaseDelayMs, scriptModel } from "../script.ts";
import { cite, type Expectation, exactly, free, oneOf, optional, rule, text } from "./expectation.ts";
import type { StoredState, Transaction } from "./transaction.ts";

type Members = { readonly [member: string]: Expectation };

const cancelled = "cancel_requested";

/** @param state as it is to be, of which only its place and its control are taken as given. */
export function stateExpected(transaction: Transaction, operationId: string, state: StoredState): Expectation {
  const previous = transaction.stateBefore(operationId);
  const meta = transaction.metaOf(operationId);
  if (meta === undefined)
    return cite(
      "K3",
      rule("nothing: no such operation is open", () => false),
    );
  // From the landing of a cancel on, nothing else has changed (F1).
  if (previous?.control.status === "running" && state.control.status === cancelled && state.at === previous.at) {
    return cite("F1", {
      ...(previous as unknown as Members),
      control: { status: cancelled, requestedAt: optional(transaction.nowMs) },
    });
  }
  const scope: Members = {
    at: free("it is compared with what the machine says"),
    control: cite("F1", previous === undefined ? { status: "running" } : exactly(previous.control)),
    settings: previous === undefined ? free("settings of the application") : optional(exactly(previous.settings)),
    latestAssistantEntryId: optional(transaction.response?.id ?? previous?.latestAssistantEntryId ?? null),
  };
  const more = Object.keys(state).map((name) => [name, free("a member of the harness's own")] as const);
  const expected = { ...scope, ...ownMembers(transaction, meta.lane, state, previous) };
  return cite("A2", { ...Object.fromEntries(more), ...expected });
}

function ownMembers(
  transaction: Transaction,
  lane: string,
  state: StoredState,
  previous: StoredState | undefined,
): Members {
  const tip = transaction.tipAfter(lane);
  switch (state.at) {
    case "starting":
      return {};
    case "assistant.ready":
      return {
        generationContext: optional(generation(transaction, lane, previous)),
        nextAttempt: previous?.at === "assistant.retry_wait" ? cite("E7", previous.nextAttempt ?? 0) : 1,
        ...resumed(
          previous?.at === "assistant.retry_wait" ? free("the entry that the generation began at") : (tip ?? "none"),
        ),
      };
    case "assistant.effect_pending":
      return {
        generationContext: optional(generation(transaction, lane, previous)),
        attempt: cite("E7", previous?.nextAttempt ?? 1),
        ...reserved(transaction, previous),
        intendedOutputLimit: optional(scriptModel.maxTokens),
        contextWindow: optional(scriptModel.contextWindow),
        api: optional(cite("E4", scriptModel.api)),
        ...resumed(free("the entry that the generation began at")),
      };
    case "assistant.retry_wait":
      return retryWait(transaction, previous);
    case "checkpoint":
      return {
        continuation: {
          // Which of the two it is, is a place of its own in the eyes of the machine.
          kind: oneOf("may_finish", "need_assistant"),
          includeFinalAssistant: optional(true),
          overflowRecoveryUsed: optional(false),
        },
        triggerEntryId: optional(tip ?? "none"),
      };
    case "tools":
      return { batch: batch(transaction, previous) };
    case "deferred.suspended":
      return suspended(transaction, previous);
    case "deferred.effect_pending":
      return {
        ...pollScope(previous),
        sourceEntryId: optional(cite("G1", previous?.sourceEntryId ?? "none")),
        poll: cite("G3", (previous?.poll ?? 0) + (previous?.at === "deferred.suspended" ? 1 : 0)),
        ...reserved(transaction, previous),
        api: optional(cite("E4", scriptModel.api)),
      };
    default:
      return { at: rule("a known place", () => false) };
  }
}

/** What pi-agent-core says besides: why a generation begins. */
const resumed = (trigger: Expectation): Members => ({
  continuation: optional({ kind: "need_assistant", overflowRecoveryUsed: false }),
  triggerEntryId: optional(trigger),
});

/** What a generation is asked with stays the same over its attempts; a new one captures what the lane has now (O1). */
function generation(transaction: Transaction, lane: string, previous: StoredState | undefined): Expectation {
  if (previous?.generationContext !== undefined) return cite("O4", exactly(previous.generationContext));
  const { before, said } = transaction;
  return cite("O1", {
    stepId: newId(transaction),
    triggerEntryId: transaction.tipAfter(lane) ?? "none",
    configuration: exactly(before.value("pi.lane.config", lane)),
    streamOptions: {},
    retryPolicy: cite("O4", {
      maxAttempts: said.maxAttempts,
      baseDelayMs: retryBaseDelayMs,
      maxAgentDelayMs: rule(
        "no less than the first delay",
        (delay) => typeof delay === "number" && delay >= retryBaseDelayMs,
      ),
    }),
    overflowRecoveryUsed: false,
  });
}

const newId = ({ before }: Transaction): Expectation =>
  text("a new id", (id) => id !== "" && before.entries.every((entry) => entry.id !== id));

/** Fresh ids, which no earlier attempt or poll has had (E5, G3). */
function reserved(transaction: Transaction, previous: StoredState | undefined): Members {
  const fresh = text(
    "a fresh id",
    (id) =>
      id !== "" &&
      id !== previous?.responseEntryId &&
      id !== previous?.usageId &&
      transaction.before.entries.every((entry) => entry.id !== id) &&
      transaction.before.usage.every((row) => row.id !== id),
  );
  return { responseEntryId: cite("E5", fresh), usageId: cite("E5", fresh) };
}

/** The delay doubles with each attempt and counts from the settlement (O4). */
function retryWait(transaction: Transaction, previous: StoredState | undefined): Members {
  const attempt = previous?.attempt ?? 1;
  const policy = (previous?.generationContext as { retryPolicy?: { maxAgentDelayMs: number } } | undefined)
    ?.retryPolicy;
  const delayMs = Math.min(retryBaseDelayMs * 2 ** (attempt - 1), policy?.maxAgentDelayMs ?? Number.POSITIVE_INFINITY);
  const { errorMessage } = transaction.response?.message ?? ({} as Partial<AssistantMessage>);
  return {
    generationContext: optional(cite("O4", exactly(previous?.generationContext))),
    nextAttempt: cite("E7", attempt + 1),
    notBefore: cite("O4", transaction.nowMs + delayMs),
    errorMessage: optional(errorMessage ?? text("what went wrong")),
  };
}

/** One reserved id for each call of the response (D5), which its result keeps (Q1). */
function batch(transaction: Transaction, previous: StoredState | undefined): Expectation {
  const { response } = transaction;
  const known = previous?.batch;
  if (known !== undefined) {
    return {
      ...(known as unknown as Members),
      calls: cite(
        "Q1",
        known.calls.map((call) => callExpected(call, call.resultEntryId)),
      ),
    };
  }
  const ids = new Set<unknown>();
  const reservedOnce = rule("an id of its own", (id) => typeof id === "string" && ids.size < ids.add(id).size);
  const calls = (response?.message.content ?? []).flatMap(({ type }, sourceIndex) =>
    type === "toolCall" ? [callExpected({ sourceIndex }, reservedOnce)] : [],
  );
  return {
    assistantEntryId: cite("D5", response?.id ?? "none"),
    configuration: exactly(previous?.generationContext?.configuration ?? previous?.configuration),
    turnId: previous?.generationContext?.stepId ?? previous?.stepId ?? "none",
    calls: cite("D5", calls),
  };
}

/** How far a call has come is the machine's to say; what is stored of it must be well formed, and counted. */
function callExpected(
  { sourceIndex, runs = 0 }: { readonly sourceIndex: number; readonly runs?: number },
  id: Expectation,
): Expectation {
  return {
    sourceIndex,
    resultEntryId: id,
    status: oneOf("planned", "effect_pending", "outcome_ready", "completed"),
    replay: optional(oneOf("never", "safe")),
    runs: optional(rule("one more at most", (count) => count === 1 || count === runs || count === runs + 1)),
    terminate: optional(false),
  };
}

function suspended(transaction: Transaction, previous: StoredState | undefined): Members {
  const poll = previous?.at === "deferred.effect_pending" ? (previous.poll ?? 0) : 0;
  return {
    ...pollScope(previous),
    sourceEntryId: optional(cite("G1", transaction.response?.id ?? "none")),
    poll: cite("D5", poll),
  };
}

/** A deferred response goes on as the generation that asked for it. */
function pollScope(previous: StoredState | undefined): Members {
  const scope = previous?.generationContext ?? previous;
  return {
    stepId: optional(scope?.stepId ?? "none"),
    configuration: optional(exactly(scope?.configuration)),
    streamOptions: optional(exactly(scope?.streamOptions)),
  };
}
