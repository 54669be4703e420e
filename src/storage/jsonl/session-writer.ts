/** The one writer of an open JSONL session: admit, make durable, make visible. */
import type { CommitResult } from "../contract/storage.ts";
import type { Write } from "../contract/writes.ts";
import type { SessionLock } from "../files/lock.ts";
import type { MemoryState } from "../memory/state.ts";
import { Admission } from "./admission.ts";
import type { Disk } from "./disk.ts";
import type { Garbage } from "./garbage.ts";
import { GroupCommit } from "./group-commit.ts";
import type { SessionLog } from "./session-log.ts";

/** The one writer of a session: takes transactions in order, makes them durable, then visible. */
export class SessionWriter {
  readonly #state: MemoryState;
  readonly #disk: Disk;
  readonly #lock: SessionLock;
  readonly #log: SessionLog;
  readonly #garbage: Garbage;
  readonly #admission: Admission;
  readonly #commits: GroupCommit;
  #closing: Promise<void> | undefined;
  #gone = false;
  /** Whether a rewrite waits for its turn, or could not be made. */
  #tidied = false;

  constructor(state: MemoryState, disk: Disk, lock: SessionLock, log: SessionLog, garbage: Garbage) {
    this.#state = state;
    this.#disk = disk;
    this.#lock = lock;
    this.#log = log;
    this.#garbage = garbage;
    this.#admission = new Admission(state);
    this.#commits = new GroupCommit((lines) => log.append(lines));
  }

  /** Admits within the call, replies when durable. */
  commit(writes: readonly Write[], timestamp: number): Promise<CommitResult> {
    this.#commits.assertWorking();
    const admission = this.#admission;
    const admitted = admission.admit(writes, timestamp);
    return new Promise((resolve, reject) => {
      const landed = () => {
        resolve(admission.landed(admitted));
        this.#tidyBetweenStreams();
      };
      this.#commits.add({ line: admitted.line, landed, failed: reject });
    });
  }

  compact(): Promise<void> {
    const work = async () => {
      await this.#log.compact(this.#state);
      this.#garbage.rewritten(this.#log.size);
    };
    return new Promise((landed, failed) => this.#commits.add({ line: "", work, landed, failed }));
  }

  /** Rewrites the file when that is worth while. A rewrite that cannot be made is not tried again. */
  async tidy(): Promise<void> {
    if (!this.#garbage.isWorthARewrite(this.#log.size)) return;
    this.#tidied = !(await this.#log.compactIfPossible(this.#state));
    if (!this.#tidied) this.#garbage.rewritten(this.#log.size);
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

  /** Between operations: nobody's frames wait for a rewrite that is not amid them already. */
  #tidyBetweenStreams(): void {
    if (this.#tidied || this.#closing !== undefined || !this.#isTimeToTidy()) return;
    this.#tidied = true;
    const work = async () => {
      this.#tidied = false;
      if (this.#isTimeToTidy()) await this.tidy();
    };
    this.#commits.add({ line: "", work, landed: () => {}, failed: () => {} });
  }

  #isTimeToTidy(): boolean {
    return this.#garbage.isWorthARewrite(this.#log.size) && !this.#state.isStreaming;
  }

  /** After the commits that were admitted, unless the disk has failed. */
  #tidyAtLast(): Promise<void> {
    if (this.#tidied) return this.#commits.ask(() => {});
    return new Promise((resolve, reject) => {
      let began = false;
      const work = () => {
        began = true;
        return this.tidy();
      };
      const failed = (reason: unknown) => (began ? reject(reason) : resolve());
      this.#commits.add({ line: "", work, landed: resolve, failed });
    });
  }

  async #close(): Promise<void> {
    try {
      await this.#tidyAtLast();
      await this.#log.close();
    } finally {
      this.#gone = true;
      await this.#disk.end();
      await this.#lock.release();
    }
  }
}
