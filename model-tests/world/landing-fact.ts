/** What a landing means, in the facts that invariants and race rows judge. */
import type { CommitName, LandingFact } from "../../machines/index.ts";
import type { Write } from "../../src/index.ts";
import { framesNamespace } from "./commit-names.ts";
import { operationScalars } from "./durable.ts";
import type { Interpreter } from "./interpreter.ts";

/** What a landing looked like at the moment it became durable. */
export function landingFact(
  name: CommitName | "internal",
  writes: readonly Write[],
  durable: Interpreter,
): LandingFact {
  const state = operationScalars(durable);
  const lists = writes.filter((write) => write.kind === "list" && write.namespace === framesNamespace);
  const values = writes.filter((write) => write.kind === "value" && write.op === "set");
  const result = values.find(({ namespace }) => namespace === "pi.result");
  return {
    commit: name,
    appended: lists.flatMap((write) =>
      write.kind === "list" && write.op === "append" ? [{ list: write.key, element: write.value }] : [],
    ),
    deleted: lists.flatMap((write) => (write.kind === "list" && write.op === "delete" ? [write.key] : [])),
    responses: writes.flatMap(responseOf),
    usage: writes.flatMap((write) =>
      write.kind === "usage" ? [{ id: write.row.id, entryId: write.row.entryId }] : [],
    ),
    decides: result !== undefined || values.some(({ namespace }) => namespace === "pi.op.state"),
    plansTools: state?.at === "tools" && values.some(({ namespace }) => namespace === "pi.op.state"),
    ends: result?.kind === "value" ? result.key : undefined,
    operationId: state?.operationId,
    responseEntryId: state?.responseEntryId,
    listsLeft: durable.listKeys(framesNamespace),
  };
}

function responseOf(write: Write): LandingFact["responses"] {
  if (write.kind !== "entry" || write.entry.type !== "message" || write.entry.message.role !== "assistant") return [];
  const { stopReason, content } = write.entry.message;
  return [
    { id: write.entry.id, stop: stopReason, toolCalls: content.filter(({ type }) => type === "toolCall").length },
  ];
}
