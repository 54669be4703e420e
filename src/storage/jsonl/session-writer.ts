/** The one writer of an open JSONL session: admit, make durable, make visible. */
import type { CommitResult } from "../contract/storage.ts";
import type { Write } from "../contract/writes.ts";
import type { SessionLock } from "../files/lock.ts";
import type { MemoryState } from "../memory/state.ts";
import { Admission } from "./admission.ts";
import type { Disk } from "./disk.ts";
import { GroupCommit } from "./group-commit.ts";
import type { SessionLog } from "./session-log.ts";

/** The one writer of a session: takes transactions in order, makes them durable, then visible. */
export class SessionWriter {
  readonly #state: MemoryState;
  readonly #disk: Disk;
  readonly #lock: SessionLock;
  readonly #log: SessionLog;
  readonly #admission: Admission;
  readonly #commits: GroupCommit;
  #closing: Promise<void> | undefined;
  #gone = false;

  constructor(state: MemoryState, disk: Disk, lock: SessionLock, log: SessionLog) {
    this.#state = state;
    this.#disk = disk;
    this.#lock = lock;
    this.#log = log;
    this.#admission = new Admission(state);
    this.#commits = new GroupCommit((lines) => log.append(lines));
  }

  /** Admits within the call, replies when durable. */
  commit(writes: readonly Write[], timestamp: number): Promise<CommitResult> {
    this.#commits.assertWorking();
    const admission = this.#admission;
    const admitted = admission.admit(writes, timestamp);
    return new Promise((resolve, reject) => {
      const landed = () => resolve(admission.landed(admitted));
      this.#commits.add({ line: admitted.line, landed, failed: reject });
    });
  }

  compact(): Promise<void> {
    const work = () => this.#log.compact(this.#state);
    return new Promise((landed, failed) => this.#commits.add({ line: "", work, landed, failed }));
  }

  /** Asks in the order of the commits. */
  ask<T>(answer: () => T): Promise<T> {
    return this.#commits.ask(answer);
  }

  /** Nothing is left to do after a kill; one that overtakes a close leaves it without an answer. */
  async close(): Promise<void> {
    this.#closing ??= this.#gone ? Promise.resolve() : this.#close();
    await this.#closing;
  }

  async kill(): Promise<void> {
    if (this.#gone) return;
    this.#gone = true;
    await this.#lock.release(this.#disk.end());
  }

  async #close(): Promise<void> {
    await this.#commits.ask(() => {});
    try {
      await this.#log.close();
    } finally {
      this.#gone = true;
      await this.#disk.end();
      await this.#lock.release();
    }
  }
}
