/** Handles of deferred responses: where one is stored, and whom it belongs to (D5, G1). */
import type { AssistantMessage, DeferredHandle } from "@earendil-works/pi-ai";
import type { Entry } from "../../durable/entries.ts";
import type { DeferredState } from "../../durable/state.ts";
import { InvariantError } from "../../errors.ts";
import type { Turn } from "../../session/line.ts";

/** The identity that a deferred handle must name. */
export interface ModelIdentity {
  readonly provider: string;
  readonly modelId: string;
  /** Unknown when another program wrote the state; no handle matches it then. */
  readonly api: string | undefined;
}

/** Whether a handle names the model that is asked (D5). */
export function handleMatches(handle: DeferredHandle, asked: ModelIdentity): boolean {
  return handle.provider === asked.provider && handle.modelId === asked.modelId && handle.api === asked.api;
}

/** The handle of a deferred response, when it names the model that was asked (D5). */
export function validHandle({ deferred }: AssistantMessage, asked: ModelIdentity): DeferredHandle | undefined {
  return deferred !== undefined && handleMatches(deferred, asked) ? deferred : undefined;
}

/** The handle that an entry holds. */
export function handleOf(entry: Entry | undefined): DeferredHandle | undefined {
  return entry?.type === "message" && entry.message.role === "assistant" ? entry.message.deferred : undefined;
}

/** The handle of the newest deferred response, when its entry holds one. */
export async function findSourceHandle(
  read: Turn["read"],
  { sourceEntryId }: DeferredState,
): Promise<DeferredHandle | undefined> {
  const entries = await read((storage) => storage.getEntries([sourceEntryId]));
  return handleOf(entries.get(sourceEntryId));
}

/**
 * The handle that the next poll asks with.
 *
 * @throws {InvariantError} when the source entry is missing or holds no handle.
 */
export async function readSourceHandle(read: Turn["read"], state: DeferredState): Promise<DeferredHandle> {
  const handle = await findSourceHandle(read, state);
  if (handle === undefined) throw new InvariantError(`Entry ${state.sourceEntryId} holds no deferred handle`);
  return handle;
}
