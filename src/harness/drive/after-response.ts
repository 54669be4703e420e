/** Runs the hook `afterResponse` between the end of a stream and its settlement (D3). */
import type { AssistantMessage } from "@earendil-works/pi-ai";
import { frozenCopy } from "../../durable/json.ts";
import { withReadableUsage } from "../reading/usage.ts";
import type { Drive } from "./drive.ts";

/**
 * Runs the hook on a complete response and returns what settles (D3). It runs for provider errors too (J2), but not
 * after a cancel was called (F2). A hook that throws is reported, and the response settles as the provider made it.
 */
export async function afterResponse(
  drive: Drive,
  responseEntryId: string,
  message: AssistantMessage,
): Promise<AssistantMessage> {
  const original = frozenCopy(message);
  const hook = drive.scope.options.hooks?.afterResponse;
  if (hook === undefined || drive.lane.cancelRequested) return original;
  const input = {
    lane: drive.lane.name,
    operationId: drive.operationId,
    responseEntryId,
    message: original,
    signal: drive.signal,
  };
  const wait = drive.newWait();
  try {
    const value = await wait.for(Promise.resolve(hook(input)));
    // What a hook answers that was left behind is dropped (Q4).
    return value === undefined || wait.left !== undefined
      ? original
      : frozenCopy(withReadableUsage(value, drive.core.clock.now()));
  } catch (error) {
    if (!drive.over) reportHook(drive, error, "afterResponse");
    return original;
  } finally {
    // When the operation ended meanwhile, the answer of the hook is dropped (X9).
    drive.assertAlive();
  }
}

/** Tells listeners that a hook threw. */
export function reportHook(drive: Drive, error: unknown, during: string): void {
  void drive.scope.hub.emit({ type: "listener_error", kind: "hook", error, during }, drive.lane.name);
}
