/** A session: one handle on a store, and the way to end an operation from outside (K3). */
import { frozenCopy } from "../durable/json.ts";
import type { OperationResultRecord } from "../durable/operation.ts";
import { OperationNotOpen } from "../errors.ts";
import type { Storage } from "../storage/contract/storage.ts";
import { type Clock, systemClock } from "./clock.ts";
import { type Plan, SessionCore } from "./core.ts";
import { type IdSource, uuidIds } from "./ids.ts";
import type { LaneView } from "./lane-view.ts";
import { type Outcome, planTerminal } from "./terminal.ts";

/** Where a session takes time and ids from. */
export interface SessionOptions {
  /** Default: UUIDv7. */
  ids?: IdSource;
  /** Default: `systemClock`. */
  clock?: Clock;
}

const cores = new WeakMap<Session, SessionCore>();

/** The one handle on the storage of a session, with the one line that all its mutations pass through (C5). */
export class Session {
  readonly storage: Storage;

  /** @throws {SessionInUse} when a session over the same storage object has neither closed nor faulted (C5, N12). */
  constructor(storage: Storage, options: SessionOptions = {}) {
    this.storage = storage;
    cores.set(this, new SessionCore(storage, options.clock ?? systemClock, options.ids ?? uuidIds));
  }

  /**
   * Ends an operation from outside its drive, in any open state, with or without a harness (K3).
   *
   * @throws {StorageRejected} when the outcome is no JSON.
   * @throws {OperationNotOpen} when this is not the open operation of the lane at its turn on the line.
   */
  async finalize(lane: string, operationId: string, outcome: Outcome): Promise<OperationResultRecord> {
    const core = coreOf(this);
    const kept = frozenCopy(outcome);
    return core.call(() => core.transact(lane, (view) => planFinalize(core, view, lane, operationId, kept)));
  }

  /** Closes the session and its storage as a controlled crash (K1). Idempotent. */
  close(): Promise<void> {
    return coreOf(this).close();
  }
}

/** The inside of a session, for the harness. */
export function coreOf(session: Session): SessionCore {
  const core = cores.get(session);
  if (core === undefined) throw new TypeError("Not a session");
  return core;
}

function planFinalize(
  core: SessionCore,
  view: LaneView | undefined,
  lane: string,
  operationId: string,
  outcome: Outcome,
): Plan<OperationResultRecord> {
  const operation = view?.operation;
  if (view === undefined || operation?.meta.operationId !== operationId) throw new OperationNotOpen(lane, operationId);
  const { writes, next, result } = planTerminal(view, operation, outcome, core.clock.now());
  return {
    writes,
    next,
    replied: () => {
      core.tellFinalized(lane, result);
      return result;
    },
  };
}
