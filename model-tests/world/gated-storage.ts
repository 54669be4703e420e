/**
 * The store as one process sees it. Every named commit waits twice: at arrival, before its effect, and at reply, when the
 * effect is durable and the caller does not know it yet. Commits land and are replied in the order of their arrival.
 */

import type { CommitName } from "../../machines/index.ts";
import type { CommitResult, Storage, Write } from "../../src/index.ts";
import { StoreFailure } from "../adapters/adapter.ts";

/** A transaction that has come to the store. */
export type Arrived = Pick<ParkedCommit, "name" | "writes" | "arrivedMs">;

export interface ParkedCommit {
  readonly name: CommitName | "internal";
  readonly writes: readonly Write[];
  /** When it came to the store, in milliseconds since 1970. */
  readonly arrivedMs: number;
  landed: boolean;
}

/** What a process asks of its store, and the address of it where it has one. */
export interface StoreRead {
  readonly kind: Exclude<keyof Storage, "commit" | "close">;
  readonly namespace?: string;
  readonly key?: string;
}

interface Waiting extends ParkedCommit {
  landing: boolean;
  result: CommitResult | undefined;
  resolve(result: CommitResult): void;
  reject(error: Error): void;
}

export interface GateKeeper {
  nameOf(writes: readonly Write[]): CommitName | "internal";
  landed(commit: Arrived, result: CommitResult): Promise<void> | void;
  /** The time, in milliseconds since 1970. */
  now(): number;
  /** The store refused the transaction. */
  refused(name: CommitName | "internal", error: Error): void;
  /** Something is read. */
  reads?(read: StoreRead): void;
  /** A process that is gone still uses its store. */
  leaked(): void;
  /** Something happened at the store; keeps quiescence honest. */
  activity(): void;
}

export class GatedStorage {
  readonly #inner: Storage;
  readonly #keeper: GateKeeper;
  readonly #queue: Waiting[] = [];
  #failed = false;
  #detached = false;
  #hold: { skip: number; readonly landed: boolean } | undefined;
  /** Whether the internal commit that was to be held has come. */
  holding = false;
  /** Calls of the inner store that have not answered. */
  openCalls = 0;

  constructor(inner: Storage, keeper: GateKeeper) {
    this.#inner = inner;
    this.#keeper = keeper;
  }

  get parked(): readonly ParkedCommit[] {
    return this.#queue;
  }

  /** The first commit that has not landed. */
  get arrived(): ParkedCommit | undefined {
    return this.#queue.find((commit) => !commit.landed);
  }

  /** Hold the next internal commit but `skip`, before its effect or, when `landed`, before its reply: for a crash there. */
  holdInternal(skip: number, landed: boolean): void {
    this.#hold = { skip, landed };
  }

  /** The process is gone: nothing of it is ever answered again. */
  detach(): void {
    this.#detached = true;
    this.#queue.length = 0;
  }

  /** Let the first commit that has not landed become durable. */
  async land(): Promise<void> {
    const commit = this.#queue.find((waiting) => !waiting.landed);
    if (commit === undefined) throw new Error("No commit waits to land");
    await this.#land(commit);
  }

  async #land(commit: Waiting): Promise<void> {
    commit.landing = true;
    try {
      commit.result = await this.#inside(() => this.#inner.commit(commit.writes as Write[]));
    } catch (error) {
      this.#refuse(commit, error as Error);
      return;
    }
    commit.landed = true;
    await this.#keeper.landed(commit, commit.result);
  }

  /** The store itself refuses a transaction: nothing has changed, and its caller must learn so (A4). */
  #refuse(commit: Waiting, error: Error): void {
    const at = this.#queue.indexOf(commit);
    if (at !== -1) this.#queue.splice(at, 1);
    this.#keeper.refused(commit.name, error);
    commit.reject(error);
    void this.#passInternal();
  }

  /** Tell the first caller that its commit is durable. */
  reply(): void {
    const commit = this.#queue.shift();
    if (commit?.result === undefined) throw new Error("No landed commit waits for its reply");
    commit.resolve(commit.result);
    void this.#passInternal();
  }

  /** Fail the first commit, landed or not, and all behind it; refuse every later one (A13). */
  fail(): void {
    this.#failed = true;
    for (const commit of this.#queue.splice(0)) commit.reject(new StoreFailure());
  }

  /** The view of this store that the harness is given. */
  asStorage(): Storage {
    const read = <T>(
      kind: StoreRead["kind"],
      call: () => Promise<T>,
      address?: Omit<StoreRead, "kind">,
    ): Promise<T> => {
      if (this.#detached) return this.#leak();
      this.#keeper.reads?.({ kind, ...(address && { namespace: address.namespace, key: address.key }) } as StoreRead);
      this.#keeper.activity();
      return this.#inside(call);
    };
    const inner = this.#inner;
    return {
      commit: (writes) => this.#commit(writes),
      getEntries: (ids) => read("getEntries", () => inner.getEntries(ids)),
      getValue: (address) => read("getValue", () => inner.getValue(address), address),
      scanValues: (prefix) => read("scanValues", () => inner.scanValues(prefix), prefix),
      readList: (address, options) => read("readList", () => inner.readList(address, options), address),
      scanBranch: (query) => read("scanBranch", () => inner.scanBranch(query)),
      scanBranchStructure: (query) => read("scanBranchStructure", () => inner.scanBranchStructure(query)),
      scanEntries: (query) => read("scanEntries", () => inner.scanEntries(query)),
      scanUsage: (query) => read("scanUsage", () => inner.scanUsage(query)),
      getStats: () => read("getStats", () => inner.getStats()),
      close: async () => {
        // The file outlives the process: closing lets go of this process's view only.
        this.#keeper.activity();
      },
    };
  }

  #commit(writes: Write[]): Promise<CommitResult> {
    if (this.#detached) return this.#leak();
    this.#keeper.activity();
    if (this.#failed) return Promise.reject(new StoreFailure());
    return new Promise((resolve, reject) => {
      const name = this.#keeper.nameOf(writes);
      // The caller may reuse its array; what was handed over is what lands.
      this.#queue.push({
        name,
        writes: [...writes],
        arrivedMs: this.#keeper.now(),
        landing: false,
        landed: false,
        result: undefined,
        resolve,
        reject,
      });
      void this.#passInternal();
    });
  }

  /** Internal commits do not wait: they land and are replied as soon as it is their turn. */
  async #passInternal(): Promise<void> {
    const commit = this.#queue[0];
    if (commit?.name !== "internal" || commit.landing || this.holding) return;
    const hold = this.#hold;
    const isHeld = hold !== undefined && hold.skip-- === 0;
    this.holding = isHeld;
    if (isHeld && !hold.landed) return;
    await this.#land(commit);
    if (!isHeld && this.#queue[0] === commit) this.reply();
  }

  async #inside<T>(call: () => Promise<T>): Promise<T> {
    this.openCalls++;
    try {
      return await call();
    } finally {
      this.openCalls--;
      this.#keeper.activity();
    }
  }

  #leak<T>(): Promise<T> {
    this.#keeper.leaked();
    return new Promise(() => {});
  }
}
