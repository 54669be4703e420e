/** Makes the messages of the next request of the entries of a branch (E8). */
import type { Message, StopReason } from "@earendil-works/pi-ai";
import type { BranchSummaryEntry, Entry } from "../../durable/entries.ts";

/**
 * The messages that the next request is built from: error and aborted responses are left out (E8, P5), and so are
 * deferred ones, which only say that the answer is not there yet. A branch summary becomes a message of the user.
 */
export function deriveMessages(entries: readonly Entry[]): Message[] {
  return entries.flatMap((entry) => {
    if (entry.type === "branch_summary") return [summaryMessage(entry)];
    return entry.type === "message" && isContext(entry.message) ? [entry.message] : [];
  });
}

function summaryMessage({ summary, timestamp }: BranchSummaryEntry): Message {
  const content = `A summary of work done earlier in this session:\n\n<summary>\n${summary}\n</summary>`;
  return { role: "user", content, timestamp };
}

const leftOut: ReadonlySet<StopReason> = new Set(["error", "aborted", "deferred"]);

function isContext(message: Message): boolean {
  return message.role !== "assistant" || !leftOut.has(message.stopReason);
}
