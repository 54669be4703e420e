/** The one line of a session, on which every mutation waits for its turn (C1, C4, C5). */
import { InvariantError } from "../errors.ts";
import type { CommitResult, Storage } from "../storage/contract/storage.ts";
import type { Write } from "../storage/contract/writes.ts";
import { Fifo } from "./fifo.ts";

/** Runs beside other appends. */
interface Append {
  readonly alone: false;
  readonly plan: () => Write[] | undefined;
  resolve(outcome: AppendOutcome): void;
  reject(reason: unknown): void;
}

/** Holds back everything until its work is done. */
interface Alone<T> {
  readonly alone: true;
  readonly work: (turn: Turn) => Promise<T>;
  resolve(value: T): void;
  reject(reason: unknown): void;
}

// biome-ignore lint/suspicious/noExplicitAny: what a job resolves with concerns only whoever queued it.
type Job = Append | Alone<any>;

/** What a job that runs alone may do during its turn. */
export interface Turn {
  /** Hands one transaction to the store. `replied` runs in the instant of its reply (C7). */
  commit<T>(writes: Write[], replied: (result: CommitResult) => T): Promise<T>;
  read<T>(query: (storage: Storage) => Promise<T>): Promise<T>;
}

/** `stale`: the owner was gone at the turn, nothing was written (C4). */
export type AppendOutcome = "landed" | "stale";

/**
 * The FIFO line of one session, through which every mutation passes. Consecutive appends overlap at the store; any
 * other job waits for all earlier replies and holds back what follows. A store failure is told to `onFailure`, which
 * is expected to seal the line.
 */
export class Line {
  readonly #storage: Storage;
  readonly #onFailure: (cause: unknown) => void;
  readonly #queue = new Fifo<Job>();
  #appends = 0;
  #held = false;
  #handedOver = 0;
  #sealed: Error | undefined;
  #whenSettled: (() => void) | undefined;

  constructor(storage: Storage, onFailure: (cause: unknown) => void) {
    this.#storage = storage;
    this.#onFailure = onFailure;
  }

  /**
   * Queues one append transaction. It is handed to the store within this call when nothing but appends is
   * outstanding. `plan` runs at its turn and answers `undefined` when the append has no owner any more (C1, C4).
   */
  append(plan: () => Write[] | undefined): Promise<AppendOutcome> {
    return new Promise((resolve, reject) => this.#enqueue({ alone: false, plan, resolve, reject }));
  }

  /** Runs `work` alone at its turn, until its promise settles. After a seal it gets no turn, no read and no commit. */
  alone<T>(work: (turn: Turn) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => this.#enqueue({ alone: true, work, resolve, reject }));
  }

  /** A read outside the order of the line, with the same treatment of failures. */
  async read<T>(query: (storage: Storage) => Promise<T>): Promise<T> {
    if (this.#sealed !== undefined) throw this.#sealed;
    let answer: T;
    try {
      answer = await query(this.#storage);
    } catch (cause) {
      throw this.#failed(cause);
    }
    if (this.#sealed !== undefined) throw this.#sealed;
    return answer;
  }

  /** Drops what is queued and refuses what comes. Replies of what was handed over are ignored from now on. */
  seal(reason: Error): void {
    this.#sealed = reason;
    for (let job = this.#queue.shift(); job !== undefined; job = this.#queue.shift()) job.reject(reason);
  }

  /** Resolves when no commit is with the store. Only for a sealed line. */
  settled(): Promise<void> {
    if (this.#handedOver === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#whenSettled = resolve;
    });
  }

  #enqueue(job: Job): void {
    if (this.#sealed !== undefined) {
      job.reject(this.#sealed);
      return;
    }
    if (this.#queue.peek() === undefined && this.#mayStart(job)) this.#start(job);
    else this.#queue.push(job);
  }

  #mayStart(job: Job): boolean {
    return !this.#held && !(job.alone && this.#appends > 0);
  }

  #pump(): void {
    for (let job = this.#queue.peek(); job !== undefined && this.#mayStart(job); job = this.#queue.peek()) {
      this.#queue.shift();
      this.#start(job);
    }
  }

  #start(job: Job): void {
    if (job.alone) this.#startAlone(job);
    else this.#startAppend(job);
  }

  #startAppend({ plan, resolve, reject }: Append): void {
    const writes = plan();
    if (writes === undefined) {
      resolve("stale");
      return;
    }
    this.#appends++;
    this.#handOver(
      writes,
      () => resolve("landed"),
      reject,
      () => {
        this.#appends--;
        this.#pump();
      },
    );
  }

  #startAlone<T>({ work, resolve, reject }: Alone<T>): void {
    this.#held = true;
    work(this.#turn()).then(
      (value) => {
        this.#release();
        resolve(value);
      },
      (error: unknown) => {
        this.#release();
        reject(error);
      },
    );
  }

  #release(): void {
    this.#held = false;
    this.#pump();
  }

  #turn(): Turn {
    let used = false;
    return {
      commit: (writes, replied) =>
        new Promise((resolve, reject) => {
          if (this.#sealed !== undefined) throw this.#sealed;
          if (used) throw new InvariantError("A turn commits at most once");
          used = true;
          this.#handOver(writes, (result) => attempt(() => resolve(replied(result)), reject), reject, nothing);
        }),
      read: (query) => this.read(query),
    };
  }

  /**
   * Hands one transaction to the store. When the reply comes after the seal, the job rejects with the reason.
   * Callbacks instead of promises, because frames pass here by the ten thousand.
   */
  #handOver(
    writes: Write[],
    landed: (result: CommitResult) => void,
    reject: (reason: Error) => void,
    replied: () => void,
  ): void {
    this.#handedOver++;
    this.#storage.commit(writes).then(
      (result) => {
        if (this.#sealed === undefined) landed(result);
        else reject(this.#sealed);
        this.#ended(replied);
      },
      (cause: unknown) => {
        reject(this.#failed(cause));
        this.#ended(replied);
      },
    );
  }

  #ended(replied: () => void): void {
    if (--this.#handedOver === 0) this.#whenSettled?.();
    replied();
  }

  /** Ends the session because the store failed, and answers why it ended. */
  #failed(cause: unknown): Error {
    if (this.#sealed === undefined) this.#onFailure(cause);
    return this.#sealed ?? new InvariantError("A store failure did not seal the line");
  }
}

const nothing = (): void => {};

function attempt(run: () => void, onThrow: (error: Error) => void): void {
  try {
    run();
  } catch (error) {
    onThrow(error as Error);
  }
}
