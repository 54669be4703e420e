import type { Message } from "@earendil-works/pi-ai";
import type { Entry } from "../durable/entries.ts";
import type { SessionCore } from "../session/core.ts";

/** The entries from the root to `tipId`. Entries never change, so this needs no turn on the line. */
export async function readTranscript(read: SessionCore["read"], tipId: string | null): Promise<Entry[]> {
  if (tipId === null) return [];
  return read((storage) => storage.scanBranch({ start: tipId, order: "oldestFirst" }));
}

/** The messages that the next request is built from: error and aborted responses are left out (E8, P5). */
export function deriveMessages(entries: readonly Entry[]): Message[] {
  return entries.flatMap((entry) => (entry.type === "message" && isContext(entry.message) ? [entry.message] : []));
}

function isContext(message: Message): boolean {
  return message.role !== "assistant" || (message.stopReason !== "error" && message.stopReason !== "aborted");
}
