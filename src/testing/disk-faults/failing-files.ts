/** Disks that fail at one chosen operation. */
import type { FileAccess, SessionFile, SessionFiles } from "../../storage/files/files.ts";
import { nodeFiles } from "../../storage/files/node-files.ts";
import { diskError, type Intercept } from "../jsonl/unreliable-disk.ts";

/** How the disk fails at one operation. */
export interface DiskFault {
  readonly name: string;
  /** What the system says of a write; of anything else it says EIO. `short`: it takes fewer bytes and says nothing. */
  readonly write: "ENOSPC" | "EIO" | "short";
  /** How many of the bytes are in the file all the same. */
  landed(bytes: number): number;
  /** Whether an operation that is no write takes effect before it fails. */
  readonly effective: boolean;
  /** Whether every later operation fails too. */
  readonly lasting: boolean;
}

/** Counts the operations of a disk, and tells which of them fails. */
export class FaultCounter {
  /** What the fault was at, once it was. */
  failedAt: string | undefined;
  readonly fault: DiskFault;
  #left = Number.POSITIVE_INFINITY;

  constructor(fault: DiskFault) {
    this.fault = fault;
  }

  /** Lets the `at`-th operation from now fail, counted from 1. */
  arm(at: number): void {
    this.#left = at;
  }

  /** Lets no operation fail, unless one did for good. */
  disarm(): void {
    if (this.failedAt === undefined) this.#left = Number.POSITIVE_INFINITY;
  }

  /** Counts one more. */
  fails(operation: string): boolean {
    this.#left--;
    if (this.#left === 0) this.failedAt = operation;
    return this.#left === 0 || (this.#left < 0 && this.fault.lasting);
  }
}

/** The file system of the machine, on a disk that fails at one operation. */
export class FailingFiles implements SessionFiles {
  readonly blockBytes = nodeFiles.blockBytes;
  readonly locate = nodeFiles.locate;
  readonly kindOf = nodeFiles.kindOf;
  readonly statusOf = nodeFiles.statusOf;
  readonly read = nodeFiles.read;
  readonly #counter: FaultCounter;

  constructor(counter: FaultCounter) {
    this.#counter = counter;
  }

  open(path: string): Promise<SessionFile> {
    return this.#opened("open", () => nodeFiles.open(path));
  }

  create(path: string, access?: FileAccess): Promise<SessionFile> {
    return this.#opened("create", () => nodeFiles.create(path, access));
  }

  rename(from: string, to: string): Promise<void> {
    return this.#run("rename", () => nodeFiles.rename(from, to));
  }

  remove(path: string): Promise<void> {
    return this.#run("remove", () => nodeFiles.remove(path));
  }

  syncFolder(path: string): Promise<void> {
    return this.#run("syncFolder", () => nodeFiles.syncFolder(path));
  }

  async #opened(operation: string, open: () => Promise<SessionFile>): Promise<SessionFile> {
    const fails = this.#counter.fails(operation);
    if (fails && !this.#counter.fault.effective) throw systemError("EIO", operation);
    const file = await open();
    if (!fails) return this.#wrap(file);
    await file.close();
    throw systemError("EIO", operation);
  }

  #wrap(file: SessionFile): SessionFile {
    return {
      append: (bytes) => this.#append(file, bytes),
      sync: () => this.#run("sync", () => file.sync()),
      truncate: (size) => this.#run("truncate", () => file.truncate(size)),
      close: () => this.#close(file),
      status: () => file.status(),
    };
  }

  /** Whatever the system says of it, the file is closed then. */
  async #close(file: SessionFile): Promise<void> {
    await file.close();
    if (this.#counter.fails("close")) throw systemError("EIO", "close");
  }

  async #append(file: SessionFile, bytes: Uint8Array): Promise<number> {
    if (!this.#counter.fails("append")) return file.append(bytes);
    const { write, landed } = this.#counter.fault;
    const taken = bytes.subarray(0, landed(bytes.length));
    if (taken.length > 0) await file.append(taken);
    if (write === "short") return taken.length;
    throw systemError(write, "write");
  }

  async #run<T>(operation: string, perform: () => Promise<T>): Promise<T> {
    if (!this.#counter.fails(operation)) return perform();
    if (this.#counter.fault.effective) await perform();
    throw systemError("EIO", operation);
  }
}

/** The same faults for a disk that is only simulated, where none takes effect but writes. */
export function interceptWith(counter: FaultCounter): Intercept {
  return ({ operation, bytes = Buffer.of() }) => {
    if (!counter.fails(operation)) return undefined;
    const { write, landed } = counter.fault;
    if (operation !== "append") throw diskError("EIO");
    if (write === "short") return landed(bytes.length);
    throw diskError(write, landed(bytes.length));
  };
}

/** As Node makes them. */
function systemError(code: "ENOSPC" | "EIO", call: string): Error {
  const text = code === "ENOSPC" ? "no space left on device" : "i/o error";
  return Object.assign(new Error(`${code}: ${text}, ${call}`), { code, syscall: call });
}
