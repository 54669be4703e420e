/** Runs the hook `afterResponse` between the end of a stream and its settlement (D3). */
import type { AssistantMessage } from "@earendil-works/pi-ai";
import { withReadableUsage } from "../reading/usage.ts";
import { storableResponse } from "../settlement/storable-response.ts";
import type { Drive } from "./drive.ts";

/**
 * Runs the hook on a complete response and returns what settles (D3). It runs for provider errors too (J2), but not
 * after a cancel was called (F2). A hook that throws, or whose value no store would keep, is reported, and the response
 * settles as the provider made it (Q2).
 */
export async function afterResponse(
  drive: Drive,
  responseEntryId: string,
  message: AssistantMessage,
): Promise<AssistantMessage> {
  const hook = drive.scope.options.hooks?.afterResponse;
  if (hook === undefined || drive.lane.cancelRequested) return message;
  const input = {
    lane: drive.lane.name,
    operationId: drive.operationId,
    responseEntryId,
    message,
    signal: drive.signal,
  };
  const wait = drive.newWait();
  try {
    const value = await wait.for(Promise.resolve(hook(input)));
    // What a hook answers that was left behind is dropped (Q4).
    return value === undefined || wait.left !== undefined ? message : usable(drive, value);
  } catch (error) {
    if (!drive.over) reportHook(drive, error, "afterResponse");
    return message;
  } finally {
    // When the operation ended meanwhile, the answer of the hook is dropped (X9).
    drive.assertAlive();
  }
}

/** A value that no store would keep, or that only a cancel explains, is no response (Q2). */
function usable(drive: Drive, value: AssistantMessage): AssistantMessage {
  const { stopReason } = value;
  if (stopReason === "pending" || (stopReason === "aborted" && !drive.lane.cancelRequested)) {
    throw new TypeError(`The hook ended the response as "${stopReason}"`);
  }
  return storableResponse(withReadableUsage(value, drive.core.clock.now()));
}

/** Tells listeners that a hook threw. */
export function reportHook(drive: Drive, error: unknown, during: string): void {
  void drive.scope.hub.emit({ type: "listener_error", kind: "hook", error, during });
}
