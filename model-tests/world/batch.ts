/** The calls of a tool batch, read from the stored state of an operation in the shape that A2 names. */
import type { AssistantMessage, ToolCall } from "@earendil-works/pi-ai";
import type { Interpreter } from "./interpreter.ts";

/** A planned call, and how far it has come. */
export interface StoredCall {
  /** The id of its block in the response. */
  readonly call: string;
  readonly tool: string;
  readonly progress: "planned" | "marked" | "done";
  /** How often it was marked. */
  readonly marks: number;
}

/** The batch part of a stored state. */
export interface StoredBatch {
  readonly assistantEntryId: string;
  readonly calls: readonly { readonly sourceIndex: number; readonly status: string; readonly runs?: number }[];
}

/** The calls of a batch in their order. */
export function callsOf({ assistantEntryId, calls }: StoredBatch, durable: Interpreter): readonly StoredCall[] {
  const blocks = plannerOf(assistantEntryId, durable)?.content ?? [];
  return calls.map(({ sourceIndex, status, runs = 1 }) => {
    const { id = `block ${sourceIndex}`, name = "unknown" } = (blocks[sourceIndex] ?? {}) as Partial<ToolCall>;
    const known = { call: id, tool: name };
    if (status === "planned") return { ...known, progress: "planned", marks: 0 };
    return { ...known, progress: status === "effect_pending" ? "marked" : "done", marks: runs };
  });
}

/** The response that planned a batch. */
export function plannerOf(entryId: string, durable: Interpreter): Partial<AssistantMessage> | undefined {
  return durable.entries.findLast(({ id }) => id === entryId)?.message.value as Partial<AssistantMessage> | undefined;
}

/** What a transaction has changed: calls that were marked once more, and calls that have a result now. */
export interface BatchChange {
  readonly marked: readonly StoredCall[];
  readonly finished: readonly StoredCall[];
}

/** @param after `undefined`: the operation went on with all calls done. */
export function changeOf(before: readonly StoredCall[], after: readonly StoredCall[] | undefined): BatchChange {
  const reached = (call: string) => after?.find((other) => other.call === call);
  const marked = before.filter(({ call, progress, marks }) => {
    const now = reached(call);
    return now?.progress === "marked" && (progress === "planned" || now.marks > marks);
  });
  const finished = before.filter(({ call, progress }) => {
    const now = reached(call);
    return progress !== "done" && (now === undefined || now.progress === "done");
  });
  return { marked, finished };
}
