// Shared by the tests of deferred responses.
import type { AssistantMessageEvent, DeferredHandle } from "@earendil-works/pi-ai";
import { operationState, pendingAssistantFrames } from "../../addresses/builtins.ts";
import type { DeferredEffectPending, OperationState } from "../../durable/state.ts";
import type { ActivateOptions } from "../../harness/lane.ts";
import type { ActivationOutcome } from "../../harness/options.ts";
import type { CommitResult } from "../../storage/contract/storage.ts";
import type { Write } from "../../storage/contract/writes.ts";
import { assistant, beginning, done, type FakePoll, openWorld, ParkingStorage, quiet, type World } from "./fakes.ts";

/** A handle of the model that the fakes ask. */
export function handle(id = "h0", changes: Partial<DeferredHandle> = {}): DeferredHandle {
  return { provider: "fake", modelId: "small", api: "fake-api", id, ...changes };
}

/** A whole stream whose answer is not ready. */
export function pending(deferred: DeferredHandle | undefined = handle()): AssistantMessageEvent[] {
  return [...beginning("").slice(0, 1), done(assistant("", { stopReason: "deferred", deferred }))];
}

/** A whole stream that answers with this text. */
export function ready(text: string): AssistantMessageEvent[] {
  return [...beginning(text), done(assistant(text))];
}

/** Starts an activation and lets everything run; its end is not waited for. */
export async function activate(
  world: World,
  options?: ActivateOptions,
): Promise<{ outcome: Promise<ActivationOutcome> }> {
  const outcome = world.lane.activate(options);
  outcome.catch(() => {});
  await quiet();
  return { outcome };
}

/** Opens an operation and has its response suspended. */
export async function suspend(world: World): Promise<string> {
  const { operationId } = await world.lane.accept({ prompt: "Hi" });
  const { outcome } = await activate(world);
  await world.provider.last.push(...pending());
  await outcome;
  return operationId;
}

export interface Polling {
  readonly operationId: string;
  readonly outcome: Promise<ActivationOutcome>;
  readonly poll: FakePoll;
}

/** Suspends and begins a poll, whose stream the test writes. */
export async function beginPoll(world: World): Promise<Polling> {
  const operationId = await suspend(world);
  const { outcome } = await activate(world, { permit: true });
  return { operationId, outcome, poll: world.provider.lastPoll };
}

/** Leaves a poll unknown after a text, and opens the session again. */
export async function crashAmidPoll(text = "part"): Promise<{ first: World; second: World; operationId: string }> {
  const first = await openWorld();
  const { operationId, poll } = await beginPoll(first);
  await poll.push(...beginning(text));
  return { first, second: await openWorld({}, first.storage, first.clock), operationId };
}

export async function stateOf(world: World, operationId: string): Promise<OperationState | undefined> {
  return (await world.storage.getValue(operationState(operationId)))?.value;
}

/** The state of a poll that is not settled. */
export async function pollOf(world: World, operationId: string): Promise<DeferredEffectPending> {
  const state = await stateOf(world, operationId);
  if (state?.at !== "deferred.effect_pending") throw new Error(`No poll is pending at "${state?.at}"`);
  return state;
}

export async function framesOf(world: World, operationId: string, responseEntryId: string): Promise<number> {
  return (await world.storage.readList(pendingAssistantFrames(operationId, responseEntryId))).length;
}

/** Remembers every frame list that it was ever given. */
export class ListingStorage extends ParkingStorage {
  readonly #keys = new Set<string>();

  override commit(writes: Write[]): Promise<CommitResult> {
    for (const write of writes) if (write.kind === "list" && write.op === "append") this.#keys.add(write.key);
    return super.commit(writes);
  }

  get lists(): number {
    return this.#keys.size;
  }

  /** How many of the lists still have an element. */
  async left(): Promise<number> {
    let left = 0;
    for (const key of this.#keys) {
      const [operationId = "", responseEntryId = ""] = key.split(":");
      if ((await this.readList(pendingAssistantFrames(operationId, responseEntryId))).length > 0) left++;
    }
    return left;
  }
}
