/** What the write-once rows must say: entries of the transcript and rows of the usage ledger (A4). */
import type { AssistantMessage } from "@earendil-works/pi-ai";
import type { Interpreter } from "../interpreter.ts";
import { errorMessages, scriptModel, zeroUsage } from "../script.ts";
import { cite, type Expectation, exactly, free, oneOf, optional, rule, text } from "./expectation.ts";
import type { NewEntry, StoredState, Transaction } from "./transaction.ts";

const newId: Expectation = text("an id");

/** @param parentId the entry before it on its branch. */
export function entryExpected(transaction: Transaction, entry: NewEntry, parentId: string | null): Expectation {
  return { id: newId, parentId: cite("D1", parentId), type: "message", message: messageExpected(transaction, entry) };
}

function messageExpected(transaction: Transaction, { id, message }: NewEntry): Expectation {
  const { said, nowMs } = transaction;
  switch (message?.role) {
    case "user": {
      const content = oneOf(...[...said.unheard].flatMap((prompt) => [prompt, [{ type: "text", text: prompt }]]));
      return { role: "user", content: cite("O1", content), timestamp: cite("O1", nowMs) };
    }
    case "toolResult":
      return toolResultExpected(transaction, id, message.isError);
    case "assistant": {
      const final = said.final(id);
      if (transaction.name === "recover") return syntheticExpected(transaction, id);
      return final === undefined ? leftBehindExpected(transaction, id) : liveExpected(final, message);
    }
    default:
      return rule("a message of a known role", () => false);
  }
}

/** A harness may say there what it could not read (Q3). */
const reports = { diagnostics: free("reports of the harness") } as const;

/** The provider's own message, but for what the hook added and what the classification makes of it (D3, D5). */
function liveExpected(final: AssistantMessage, { stopReason }: AssistantMessage): Expectation {
  const { content: _content, errorMessage, deferred, ...rest } = final;
  const isNormalised = stopReason !== final.stopReason;
  return cite("D3", {
    ...(rest as unknown as { readonly [member: string]: Expectation }),
    usage: cite("F2", exactly(final.usage)),
    content: free("it is compared with what the hook made of it"),
    stopReason: free("it is compared with what the machine says"),
    ...reports,
    ...(isNormalised
      ? { errorMessage: optional(text("what went wrong")), deferred: optional(exactly(deferred)) }
      : {
          ...(errorMessage !== undefined && { errorMessage: errorExpected(errorMessage) }),
          ...(deferred !== undefined && { deferred: cite("D5", exactly(deferred)) }),
        }),
  });
}

/** A harness has words of its own for a stream that broke (Q6). */
const errorExpected = (message: string): Expectation =>
  message === errorMessages.broken ? cite("Q6", text("what broke the stream")) : cite("D5", message);

/** The message that a start frame keeps: no content, and no usage that cannot be read. */
export function startExpected(partial: AssistantMessage): Expectation {
  const { usage, content, ...rest } = partial;
  const members = rest as unknown as { readonly [member: string]: Expectation };
  return { ...members, content: exactly(content), usage: exactly(usage), ...reports };
}

/** A synthetic message has the identity of the committed start, or what the intent has captured (E3, E4). */
function syntheticExpected(transaction: Transaction, id: string): Expectation {
  const { said, nowMs, before } = transaction;
  const reserving = statesOf(before).find(({ value }) => value.responseEntryId === id);
  const frames = before.list("pi.pending.assistant_frame", `${reserving?.key}:${id}`);
  const committed = said.committed(id, frames.length);
  const { api, provider, id: model } = scriptModel;
  const identity = { role: "assistant", api, provider, model } as const;
  const kept = committed === undefined ? {} : { responseId: cite("E3", committed.start.responseId ?? "none") };
  return cite(committed === undefined ? "E4" : "E3", {
    ...identity,
    ...kept,
    content: cite("E3", exactly(committed?.content ?? [])),
    usage: cite("E3", exactly(zeroUsage())),
    stopReason: free("it is compared with what the machine says"),
    errorMessage: optional(text("what happened")),
    ...reports,
    timestamp: oneOf(...(committed === undefined ? [] : [committed.start.timestamp]), nowMs),
  });
}

/** A response whose provider did not end it: the live partial, and no usage that nobody reported (Q4, Q6). */
function leftBehindExpected(transaction: Transaction, id: string): Expectation {
  const partial = transaction.said.partial(id);
  const { api, provider, id: model } = scriptModel;
  return cite("Q6", {
    role: "assistant",
    api,
    provider,
    model,
    ...(partial?.responseId !== undefined && { responseId: optional(partial.responseId) }),
    content: exactly(partial?.content ?? []),
    usage: exactly(zeroUsage()),
    stopReason: oneOf("error", "aborted"),
    errorMessage: text("what happened"),
    ...reports,
    timestamp: rule("a time", (time) => typeof time === "number" && time <= transaction.nowMs),
  });
}

/** The result under a reserved id is that of the call that the id was reserved for (D5). */
function toolResultExpected(transaction: Transaction, id: string, isError: boolean): Expectation {
  const call = plannedCall(transaction, id);
  if (call === undefined)
    return cite(
      "K3",
      rule("nothing: no such call is planned", () => false),
    );
  return cite("D5", {
    role: "toolResult",
    toolCallId: call.id,
    toolName: call.name,
    content: [{ type: "text", text: isError ? text("what came of the call") : `result of ${call.id}` }],
    isError: free("it is compared with what the machine says"),
    timestamp: rule("a time", (time) => typeof time === "number" && time <= transaction.nowMs),
    details: free("the tool's own"),
  });
}

const statesOf = (before: Interpreter): readonly { readonly key: string; readonly value: StoredState }[] =>
  before
    .values((namespace) => namespace === "pi.op.state")
    .map(({ key, value }) => ({ key, value: value as StoredState }));

function plannedCall(
  { before }: Transaction,
  resultEntryId: string,
): { readonly id: string; readonly name: string } | undefined {
  for (const { value } of statesOf(before)) {
    const { batch } = value;
    const planned = batch?.calls.find((call) => call.resultEntryId === resultEntryId);
    if (batch === undefined || planned === undefined) continue;
    const planner = before.entries.findLast((entry) => entry.id === batch.assistantEntryId);
    const block = (planner?.message.value as AssistantMessage | undefined)?.content[planned.sourceIndex];
    return block?.type === "toolCall" ? block : undefined;
  }
  return undefined;
}

/** A row says what its response says, and whose it is (D1). */
export function usageExpected(transaction: Transaction): Expectation {
  const { response } = transaction;
  if (response === undefined) return rule("a row beside its response", () => false);
  return cite("D1", {
    id: newId,
    entryId: response.id,
    usage: exactly(response.message.usage),
    adjustment: false,
  });
}
