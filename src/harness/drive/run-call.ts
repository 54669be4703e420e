/** Runs one tool call by the host's runner; one that throws has failed, and nothing else has (Q2). */
import type { ToolCall } from "@earendil-works/pi-ai";
import type { RunToolInput, ToolOutcome } from "../options.ts";
import { describe, failedCall } from "../settlement/tool-result.ts";
import { reportHook } from "./after-response.ts";
import type { Drive } from "./drive.ts";

/** Runs the call. A runner that throws is reported, and its call gets an error result. */
export async function runCall(
  drive: Drive,
  call: ToolCall,
  asked: Pick<RunToolInput, "assistantEntryId" | "resultEntryId" | "run">,
): Promise<ToolOutcome> {
  const input: RunToolInput = {
    ...asked,
    lane: drive.lane.name,
    operationId: drive.operationId,
    toolCallId: call.id,
    name: call.name,
    arguments: structuredClone(call.arguments),
    signal: drive.signal,
  };
  try {
    return (await drive.scope.options.hooks?.runTool?.(input)) ?? failedCall("The tool runner gave no result");
  } catch (error) {
    if (!drive.over) reportHook(drive, error, "runTool");
    return failedCall(`The tool runner failed: ${describe(error)}`);
  }
}
