/** The inside of a session: the line, the lanes as last replied, and how both end (K1, K2). */
import type { OperationResultRecord } from "../durable/operation.ts";
import { Closed, HarnessFault, SessionInUse } from "../errors.ts";
import type { CommitResult, Storage } from "../storage/contract/storage.ts";
import type { Write } from "../storage/contract/writes.ts";
import type { Clock } from "./clock.ts";
import type { IdSource } from "./ids.ts";
import { KeptViews } from "./kept-views.ts";
import { type LaneView, readLaneView } from "./lane-view.ts";
import { type AppendOutcome, Line, type Turn } from "./line.ts";
import { OpenCalls } from "./open-calls.ts";

/** What the session tells its harness, at the moment when it becomes true. */
export interface SessionOwner {
  faulted(fault: HarnessFault): void;
  closed(): void;
  finalized(lane: string, result: OperationResultRecord): void;
}

/** What a transaction decided at its turn. Nothing to write is a decision too. */
export type Plan<T> =
  | {
      readonly writes: Write[];
      readonly next: LaneView;
      /** Runs on the reply, in the same instant as the view is replaced and before the next turn (C7). */
      readonly replied: (commit: CommitResult) => T;
    }
  | { readonly writes?: never; readonly value: T };

/** Storages with a session that works on them: another one would not see what that one decides (C5, N12). */
const working = new WeakSet<Storage>();

/** The inside of a session: the line, the lanes as replied, and the end of both. */
export class SessionCore {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly #line: Line;
  readonly #calls = new OpenCalls();
  readonly #views = new KeptViews();
  #owner: SessionOwner | undefined;
  #fault: HarnessFault | undefined;
  #closing: Promise<void> | undefined;

  constructor(storage: Storage, clock: Clock, ids: IdSource) {
    if (working.has(storage)) throw new SessionInUse("This storage already has a session");
    working.add(storage);
    this.storage = storage;
    this.clock = clock;
    this.ids = ids;
    this.#line = new Line(storage, (cause) => this.fail(cause));
  }

  get fault(): HarnessFault | undefined {
    return this.#fault;
  }

  /** Whether the session takes no more work, because of a fault or a close. */
  get ended(): boolean {
    return this.#fault !== undefined || this.#closing !== undefined;
  }

  /** Makes `owner` the one harness of this session (O3). */
  attach(owner: SessionOwner): void {
    if (this.#closing !== undefined) throw new Closed();
    if (this.#fault !== undefined) throw this.#fault;
    if (this.#owner !== undefined) throw new SessionInUse();
    this.#owner = owner;
  }

  /** Runs a call whose promise a caller holds: it rejects when the session ends (K1, K2). */
  call<T>(work: () => Promise<T>): Promise<T> {
    return this.#calls.track(work);
  }

  /** The lane as replied: there while it has an open operation, or when it was read at this turn; else it may be let go. */
  view(lane: string): LaneView | undefined {
    return this.#views.get(lane);
  }

  append(plan: () => Write[] | undefined): Promise<AppendOutcome> {
    return this.#line.append(plan);
  }

  read<T>(query: (storage: Storage) => Promise<T>): Promise<T> {
    return this.#line.read(query);
  }

  /** Runs `work` alone at its turn, over the lane as replied. */
  atTurn<T>(lane: string, work: (view: LaneView | undefined, turn: Turn) => T | Promise<T>): Promise<T> {
    return this.#line.alone(async (turn) => work(this.#views.get(lane) ?? (await this.#restore(lane, turn)), turn));
  }

  /** One transaction: planned at its turn from the lane as replied, and told on its reply. */
  transact<T>(lane: string, plan: (view: LaneView | undefined, turn: Turn) => Plan<T> | Promise<Plan<T>>): Promise<T> {
    return this.#line.alone(async (turn) => {
      const view = this.#views.get(lane) ?? (await this.#restore(lane, turn));
      const planned = plan(view, turn);
      const decided = planned instanceof Promise ? await planned : planned;
      if (decided.writes === undefined) return decided.value;
      const { writes, next, replied } = decided;
      return await turn.commit(writes, (commit) => {
        this.#views.set(lane, next);
        return replied(commit);
      });
    });
  }

  /** Tells the harness that an outside party ended an operation (K3). */
  tellFinalized(lane: string, result: OperationResultRecord): void {
    this.#owner?.finalized(lane, result);
  }

  /** Stops everything because of `cause`. Only the first cause counts (K2). */
  fail(cause: unknown): HarnessFault | undefined {
    if (this.ended) return this.#fault;
    const fault = cause instanceof HarnessFault ? cause : new HarnessFault(cause);
    this.#fault = fault;
    // Sealed below, it writes nothing any more.
    working.delete(this.storage);
    this.#line.seal(fault);
    this.#calls.end(fault);
    this.#owner?.faulted(fault);
    return fault;
  }

  /** A controlled crash: waits for the commits that the store already has, and for nothing else (K1). */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const closed = new Closed();
    this.#line.seal(closed);
    this.#calls.end(closed);
    this.#owner?.closed();
    await this.#line.settled();
    if (this.#fault === undefined) working.delete(this.storage);
    await this.storage.close();
  }

  async #restore(lane: string, turn: Turn): Promise<LaneView | undefined> {
    const view = await turn.read((storage) => readLaneView(storage, lane));
    if (view !== undefined) this.#views.set(lane, view);
    return view;
  }
}
