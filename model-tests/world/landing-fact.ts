/** What a landing means, in the facts that invariants and race rows judge. */
import type { Message } from "@earendil-works/pi-ai";
import type { CommitName, LandingFact } from "../../machines/index.ts";
import type { Write } from "../../src/index.ts";
import { changeOf, type StoredCall } from "./batch.ts";
import { framesNamespace } from "./commit-names.ts";
import { operationScalars, plannedCallsIn } from "./durable.ts";
import type { Interpreter } from "./interpreter.ts";

/** What a landing looked like at the moment it became durable. */
export function landingFact(
  name: CommitName | "internal",
  writes: readonly Write[],
  durable: Interpreter,
  before: readonly StoredCall[],
): LandingFact {
  const appended: { list: string; element: unknown }[] = [];
  const deleted: string[] = [];
  const responses: LandingFact["responses"][number][] = [];
  const usage: LandingFact["usage"][number][] = [];
  let setsState = false;
  let ends: string | undefined;
  for (const write of writes) {
    if (write.kind === "usage") usage.push({ id: write.row.id, entryId: write.row.entryId });
    else if (write.kind === "entry") {
      const response = responseOf(write.entry);
      if (response !== undefined) responses.push(response);
    } else if (write.kind === "list") {
      if (write.namespace !== framesNamespace) continue;
      if (write.op === "append") appended.push({ list: write.key, element: write.value });
      else deleted.push(write.key);
    } else if (write.op === "set") {
      if (write.namespace === "pi.op.state") setsState = true;
      else if (write.namespace === "pi.result") ends ??= write.key;
    }
  }
  const state = operationScalars(durable);
  return {
    commit: name,
    appended,
    deleted,
    responses,
    usage,
    decides: ends !== undefined || setsState,
    plansTools: state?.at === "tools" && setsState,
    tools: toolFacts(writes, durable, before),
    ends,
    operationId: state?.operationId,
    responseEntryId: state?.responseEntryId,
    listsLeft: durable.listKeys(framesNamespace),
  };
}

/** What became of tool calls. An operation that ends amid its plan finishes none of them. */
function toolFacts(
  writes: readonly Write[],
  durable: Interpreter,
  before: readonly StoredCall[],
): LandingFact["tools"] {
  const after = plannedCallsIn(durable);
  const planned = before.length === 0 ? after.map(({ call }) => call) : [];
  const open = operationScalars(durable);
  if (before.length === 0 || open === undefined) return { planned, marked: [], finished: [] };
  const { marked, finished } = changeOf(before, open.at === "tools" ? after : undefined);
  const failed = new Set(writes.map(failedCall));
  return {
    planned,
    marked: marked.map(({ call }) => call),
    finished: finished.map(({ call, tool }) => ({ call, tool, failed: failed.has(call) })),
  };
}

/** The call whose error result a write carries, as an entry or as one to be. */
function failedCall(write: Write): string | undefined {
  const message = messageOf(write);
  return message?.role === "toolResult" && message.isError ? message.toolCallId : undefined;
}

function messageOf(write: Write): Message | undefined {
  if (write.kind === "entry") return write.entry.type === "message" ? write.entry.message : undefined;
  if (write.kind !== "value" || write.op !== "set" || write.namespace !== "pi.pending.entry") return undefined;
  return (write.value as { payload?: Message }).payload;
}

function responseOf(entry: Extract<Write, { kind: "entry" }>["entry"]): LandingFact["responses"][number] | undefined {
  if (entry.type !== "message" || entry.message.role !== "assistant") return undefined;
  const { stopReason, content } = entry.message;
  return { id: entry.id, stop: stopReason, toolCalls: content.filter(({ type }) => type === "toolCall").length };
}
