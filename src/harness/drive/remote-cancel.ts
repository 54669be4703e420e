/** Asks the provider to give up a deferred response (G4). */
import type { DeferredHandle } from "@earendil-works/pi-ai";
import type { DeferredState } from "../../durable/state.ts";
import type { Turn } from "../../session/line.ts";
import { findSourceHandle, handleMatches } from "../reading/deferred-handle.ts";
import type { Drive } from "./drive.ts";

/**
 * Starts to cancel the remote work behind a deferred response (G4). Called at a turn at which the cancellation has
 * landed, so a crash cannot bring back what was cancelled outside (C7). Resolves when the request is on its way.
 * Without a handle of the captured model there is nobody to ask.
 */
export async function startRemoteCancel(drive: Drive, state: DeferredState, turn: Turn): Promise<void> {
  const handle = await findSourceHandle(turn.read, state);
  if (handle !== undefined) void cancelRemotely(drive, state, handle);
}

/** Best effort: the provider may throw, reject or never answer. Nothing waits for it; listeners are told of a failure. */
async function cancelRemotely(drive: Drive, { configuration }: DeferredState, handle: DeferredHandle): Promise<void> {
  const { options, ended, hub } = drive.scope;
  const { provider, modelId } = configuration.model;
  try {
    const model = options.models.getModel(provider, modelId);
    if (model === undefined || !handleMatches(handle, { provider, modelId, api: model.api })) return;
    await options.models.cancelDeferred(model, structuredClone(handle), { signal: ended });
  } catch (error) {
    void hub.emit({ type: "listener_error", kind: "provider", error, during: "cancelDeferred" });
  }
}
