/** What the other built-in values must say: the tip, the lane, the operation as it was accepted and as it ended (O1, O2). */
import type { AssistantMessage } from "@earendil-works/pi-ai";
import { finalizedCode } from "../../adapters/adapter.ts";
import { scriptModel } from "../script.ts";
import { cite, type Expectation, free, optional, rule, text } from "./expectation.ts";
import type { Transaction } from "./transaction.ts";

/** The lane's configuration is what the harness was opened with. */
export const configurationExpected: Expectation = cite("A2", {
  model: { provider: scriptModel.provider, modelId: scriptModel.id },
  thinkingLevel: "off",
  activeToolNames: free("the tools of the application"),
});

/** The tip is the last entry (D1, O1). */
export const tipExpected = (transaction: Transaction, lane: string): Expectation =>
  cite("D1", transaction.tipAfter(lane));

export function metaExpected(transaction: Transaction, operationId: string, lane: string): Expectation {
  return cite("O1", {
    operationId,
    lane,
    sourceTipId: transaction.tipBefore(lane),
    startedAt: transaction.nowMs,
    intent: optional({ kind: "run", promptEntryIds: transaction.entries.map(({ id }) => id) }),
  });
}

interface StoredLane {
  readonly currentOperationId: string | null;
  readonly lastOperationId: string | null;
}

/** An acceptance opens the operation, and what ends it makes the lane idle. */
export function laneExpected(transaction: Transaction, lane: string): Expectation {
  const before = transaction.before.value("pi.lane.state", lane) as StoredLane | undefined;
  const opened = transaction.writes.find(
    (write) => write.kind === "value" && write.namespace === "pi.op.meta" && write.op === "set",
  );
  const ended = transaction.writes.find(
    (write) => write.kind === "value" && write.namespace === "pi.result" && write.op === "set",
  );
  const key = (write: typeof opened): string | null => (write?.kind === "value" ? write.key : null);
  return cite(ended === undefined ? "O1" : "O2", {
    currentOperationId: ended === undefined ? (key(opened) ?? before?.currentOperationId ?? null) : null,
    lastOperationId: key(ended) ?? before?.lastOperationId ?? null,
    inbox: optional([]),
  });
}

/** The record of an operation's end (O2). */
export function resultExpected(
  transaction: Transaction,
  operationId: string,
  { status, error }: { readonly status?: string; readonly error?: { readonly code?: string } },
): Expectation {
  const meta = transaction.metaOf(operationId);
  const failed = status === "failed";
  return cite("O2", {
    operationId,
    kind: "run",
    status: free("it is compared with what the machine says"),
    ...(failed && { error: errorExpected(transaction, error?.code) }),
    fromTipId: meta?.sourceTipId ?? null,
    tipId: transaction.tipAfter(meta?.lane ?? ""),
    startedAt: meta?.startedAt ?? rule("the time of an acceptance", () => false),
    endedAt: transaction.nowMs,
  });
}

/** Of a response that ends its operation, the record tells its readers what the response says went wrong. */
function errorExpected({ response }: Transaction, code: string | undefined): Expectation {
  const said = (response?.message as Partial<AssistantMessage> | undefined)?.errorMessage;
  return {
    code: text("a code"),
    message: said === undefined || code === finalizedCode ? text("what went wrong") : said,
    details: optional(free("the harness's own")),
  };
}
