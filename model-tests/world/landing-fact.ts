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
    ends,
    operationId: state?.operationId,
    responseEntryId: state?.responseEntryId,
    listsLeft: durable.listKeys(framesNamespace),
  };
}

function responseOf(entry: Extract<Write, { kind: "entry" }>["entry"]): LandingFact["responses"][number] | undefined {
  if (entry.type !== "message" || entry.message.role !== "assistant") return undefined;
  const { stopReason, content } = entry.message;
  return { id: entry.id, stop: stopReason, toolCalls: content.filter(({ type }) => type === "toolCall").length };
}
