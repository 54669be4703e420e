import type { AssistantMessage, DeferredHandle } from "@earendil-works/pi-ai";
import type { DeferredEffectPending, DeferredSuspended } from "../durable/state.ts";
import { InvariantError } from "../errors.ts";
import type { SessionCore } from "../session/core.ts";
import type { ActivationOutcome } from "./options.ts";

/** The identity that a deferred handle must name. */
export interface ModelIdentity {
  readonly provider: string;
  readonly modelId: string;
  readonly api: string | undefined;
}

/** The handle of a deferred response, when it names the model that was asked (D5). */
export function validHandle(message: AssistantMessage, asked: ModelIdentity): DeferredHandle | undefined {
  const handle = message.deferred;
  if (handle === undefined) return undefined;
  const matches =
    handle.provider === asked.provider &&
    handle.modelId === asked.modelId &&
    (asked.api === undefined || handle.api === asked.api);
  return matches ? handle : undefined;
}

/** What an activation without a permit to poll answers; it leaves the durable state as it is (G2). */
export async function suspendedOutcome(
  core: SessionCore,
  state: DeferredSuspended | DeferredEffectPending,
): Promise<ActivationOutcome> {
  const entries = await core.read((storage) => storage.getEntries([state.sourceEntryId]));
  const source = entries.get(state.sourceEntryId);
  if (source?.type !== "message" || source.message.role !== "assistant" || source.message.deferred === undefined) {
    throw new InvariantError(`Entry ${state.sourceEntryId} holds no deferred handle`);
  }
  return { kind: "suspended", handle: source.message.deferred, poll: state.poll };
}
