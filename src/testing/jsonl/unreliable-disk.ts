/** A disk in memory that fails and forgets when told to. */
import { randomUUID } from "node:crypto";
import { basename } from "node:path";
import type { FileStatus, SessionFile, SessionFiles } from "../../storage/files/files.ts";
import { type Choose, SimulatedFile, sectorBytes } from "./unreliable-file.ts";

/** One call of a file operation. */
export interface DiskCall {
  readonly operation: "open" | "create" | "append" | "sync" | "truncate" | "close" | "rename" | "remove" | "syncFolder";
  readonly file: string;
  /** What an append was given. */
  readonly bytes?: Uint8Array;
}

/** What a test makes of a call before it takes effect: wait, throw, or take fewer bytes than an append was given. */
export type Intercept = (call: DiskCall) => Promise<number | undefined> | number | undefined;

/** An error as the operating system gives it; `landed` bytes of the append are in the file all the same. */
export function diskError(code: string, landed = 0): Error {
  return Object.assign(new Error(`${code}: simulated`), { code, landed });
}

type Names = Map<string, SimulatedFile>;

/** A disk in memory that fails when it is told to, and forgets at a power cut all that was not synced. */
export class UnreliableDisk implements SessionFiles {
  readonly blockBytes = sectorBytes;
  readonly calls: DiskCall[] = [];
  intercept: Intercept = () => undefined;
  /** The lock is the machine's, and test files run at the same time. */
  readonly #identity = `simulated-disk-${randomUUID()}`;
  readonly #names: Names = new Map();
  readonly #syncedNames: Names = new Map();
  #unsyncedNames: ((names: Names) => void)[] = [];

  /** The bytes of a file as a process sees them. */
  bytes(path: string): Buffer | undefined {
    return this.#names.get(path)?.cached;
  }

  /** The names of all files. */
  names(): string[] {
    return [...this.#names.keys()];
  }

  /** Puts a file there that has always been there. */
  place(path: string, bytes: Uint8Array): void {
    const file = new SimulatedFile(Buffer.from(bytes));
    this.#names.set(path, file);
    this.#syncedNames.set(path, file);
  }

  /** How often an operation was called. */
  count(operation: DiskCall["operation"]): number {
    return this.calls.filter((call) => call.operation === operation).length;
  }

  /** The disk after the power was cut: one of the things that could be left of what was not synced. */
  afterPowerCut(choose: Choose): UnreliableDisk {
    const left = new UnreliableDisk();
    const names = new Map(this.#syncedNames);
    for (const change of this.#unsyncedNames.slice(0, choose(this.#unsyncedNames.length + 1))) change(names);
    for (const [path, file] of names) left.place(path, file.afterPowerCut(choose));
    return left;
  }

  /** The disk as the next process finds it. */
  afterProcessDeath(): UnreliableDisk {
    const left = new UnreliableDisk();
    for (const [path, file] of this.#names) left.place(path, file.cached);
    return left;
  }

  async locate(path: string): Promise<{ path: string; identity: string }> {
    return { path, identity: `${this.#identity}/${path}` };
  }

  async kindOf(path: string): Promise<"absent" | "file"> {
    return this.#names.has(path) ? "file" : "absent";
  }

  async statusOf(path: string): Promise<FileStatus | undefined> {
    const file = this.#names.get(path);
    return file === undefined ? undefined : this.#statusOf(file);
  }

  async *read(path: string): AsyncGenerator<Uint8Array> {
    const bytes = this.bytes(path) ?? Buffer.alloc(0);
    // Small chunks for small files, so that lines and characters are cut anywhere.
    const size = Math.max(61, Math.ceil(bytes.length / 1_000));
    for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
  }

  async open(path: string): Promise<SessionFile> {
    await this.#call({ operation: "open", file: path });
    return this.#sessionFile(path, this.#find(path));
  }

  async create(path: string): Promise<SessionFile> {
    await this.#call({ operation: "create", file: path });
    if (this.#names.has(path)) throw diskError("EEXIST");
    const file = new SimulatedFile();
    this.#rename((names) => names.set(path, file));
    return this.#sessionFile(path, file);
  }

  async rename(from: string, to: string): Promise<void> {
    await this.#call({ operation: "rename", file: to });
    const file = this.#find(from);
    this.#rename((names) => {
      names.delete(from);
      names.set(to, file);
    });
  }

  async remove(path: string): Promise<void> {
    await this.#call({ operation: "remove", file: path });
    if (this.#names.has(path)) this.#rename((names) => names.delete(path));
  }

  async syncFolder(path: string): Promise<void> {
    await this.#call({ operation: "syncFolder", file: path });
    for (const change of this.#unsyncedNames) change(this.#syncedNames);
    this.#unsyncedNames = [];
  }

  #rename(change: (names: Names) => void): void {
    change(this.#names);
    this.#unsyncedNames.push(change);
  }

  #statusOf({ id, cached }: SimulatedFile): FileStatus {
    return { identity: `${this.#identity}#${id}`, size: cached.length };
  }

  #find(path: string): SimulatedFile {
    const file = this.#names.get(path);
    if (file === undefined) throw diskError("ENOENT");
    return file;
  }

  #sessionFile(path: string, file: SimulatedFile): SessionFile {
    return {
      append: (bytes) => this.#append(path, file, bytes),
      sync: async () => {
        try {
          await this.#call({ operation: "sync", file: path });
        } catch (error) {
          file.failSync();
          throw error;
        }
        file.sync();
      },
      truncate: async (size) => {
        await this.#call({ operation: "truncate", file: path });
        file.truncate(size);
      },
      close: async () => {
        await this.#call({ operation: "close", file: path });
      },
      status: async () => this.#statusOf(file),
    };
  }

  async #append(path: string, file: SimulatedFile, bytes: Uint8Array): Promise<number> {
    try {
      const taken = (await this.#call({ operation: "append", file: path, bytes })) ?? bytes.length;
      file.append(bytes.subarray(0, taken));
      return taken;
    } catch (error) {
      file.append(bytes.subarray(0, (error as { landed?: number }).landed ?? 0));
      throw error;
    }
  }

  async #call(call: DiskCall): Promise<number | undefined> {
    this.calls.push(call);
    return this.intercept(call);
  }
}

/** A call in a few letters, such as `append session`. */
export function describeCall({ operation, file }: DiskCall): string {
  return `${operation} ${basename(file)}`;
}
