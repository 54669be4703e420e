/** Writes what waits for the disk together, in order (C3, A13). */

/** What waits for its turn at the file. */
export interface Job {
  /** To be made durable, without its line feed; empty when there is nothing to write. */
  readonly line: string;
  /** Runs instead, with the file for itself. */
  readonly work?: () => Promise<void>;
  /** All up to here is durable. Called once, in the order of the queue. */
  landed(): void;
  /** Called once instead of `landed`. */
  failed(reason: unknown): void;
}

/** UTF-16 units; a write must fit into one string and one buffer. */
const greatestWrite = 64 * 1024 * 1024;

/**
 * The order in which things reach the file. What comes while a write is in flight goes to the disk in one write
 * afterwards; what comes when nothing is in flight goes at once (C3). The first failure is the last thing that happens:
 * all that waits fails with it, and all that comes (A13).
 */
export class GroupCommit {
  readonly #write: (lines: readonly string[]) => Promise<void>;
  readonly #greatestWrite: number;
  #queue: Job[] = [];
  #busy = false;
  #failure: { readonly reason: unknown } | undefined;

  /**
   * @param write makes lines durable.
   * @param greatest the length of what is written at once, but for a single line that is longer.
   */
  constructor(write: (lines: readonly string[]) => Promise<void>, greatest = greatestWrite) {
    this.#write = write;
    this.#greatestWrite = greatest;
  }

  /** Throws the failure, if there was one. */
  assertWorking(): void {
    if (this.#failure !== undefined) throw this.#failure.reason;
  }

  add(job: Job): void {
    if (this.#failure !== undefined) {
      job.failed(this.#failure.reason);
      return;
    }
    this.#queue.push(job);
    if (!this.#busy) void this.#drain();
  }

  /** What `answer` says when all that was added has landed or failed, and before anything that is added later lands. */
  ask<T>(answer: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const settle = () => {
        try {
          resolve(answer());
        } catch (error) {
          reject(error);
        }
      };
      if (this.#busy) this.add({ line: "", landed: settle, failed: settle });
      else settle();
    });
  }

  async #drain(): Promise<void> {
    this.#busy = true;
    while (this.#queue.length > 0) {
      const group = this.#takeGroup();
      try {
        await this.#perform(group);
      } catch (reason) {
        this.#fail(reason, group);
        break;
      }
      for (const job of group) job.landed();
    }
    this.#busy = false;
  }

  #perform(group: readonly Job[]): Promise<void> {
    const work = group[0]?.work;
    if (work !== undefined) return work();
    const lines = group.map(({ line }) => line).filter((line) => line !== "");
    return lines.length === 0 ? Promise.resolve() : this.#write(lines);
  }

  /** The next work, or all lines before it, as many as one write can hold. */
  #takeGroup(): Job[] {
    const queue = this.#queue;
    let count = 0;
    let length = 0;
    for (const { line, work } of queue) {
      length += line.length;
      if (work !== undefined || (count > 0 && length > this.#greatestWrite)) break;
      count++;
    }
    const taken = Math.max(count, 1);
    this.#queue = queue.slice(taken);
    queue.length = taken;
    return queue;
  }

  #fail(reason: unknown, group: readonly Job[]): void {
    this.#failure = { reason };
    for (const job of [...group, ...this.#queue.splice(0)]) job.failed(reason);
  }
}
