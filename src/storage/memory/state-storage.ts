/** The reads of the stores that hold a session in memory (A6 to A8). */
import type { Value, ValueList } from "../../addresses/address.ts";
import type { Entry, EntryStructure, UsageRow } from "../../durable/entries.ts";
import { StorageClosed } from "../../errors.ts";
import { takenAddress, takenIds, takenScan, takenWalk } from "../admission/arguments.ts";
import { scanBranchEntries, structureOf } from "../contract/branch-scan.ts";
import type { ImageSource, SessionImage } from "../contract/image.ts";
import { type ListReadOptions, resolveListReadOptions } from "../contract/list-options.ts";
import { passesFilters, scanRange } from "../contract/sequence.ts";
import type {
  BranchScan,
  CommitResult,
  EntryScan,
  ListElement,
  SessionStats,
  Storage,
  StoredValue,
  UsageScan,
} from "../contract/storage.ts";
import type { Write } from "../contract/writes.ts";
import { imageOf } from "./image.ts";
import type { MemoryState } from "./state.ts";

/** The reads of a store that answers them from memory. What they return is deeply frozen. */
export abstract class StateStorage implements Storage, ImageSource {
  readonly #state: MemoryState;
  #closed = false;

  constructor(state: MemoryState) {
    this.#state = state;
  }

  abstract commit(writes: Write[]): Promise<CommitResult>;
  abstract close(): Promise<void>;

  /** Answers from the state when it holds just the transactions that were handed over before this call (A8). */
  protected abstract read<T>(answer: (state: MemoryState) => T): Promise<T>;

  async getEntries(ids: string[]): Promise<Map<string, Entry>> {
    const taken = takenIds(ids);
    return this.read((state) => {
      const found = taken.map((id) => state.entry(id)).filter((entry) => entry !== undefined);
      return new Map(found.map((entry) => [entry.id, entry]));
    });
  }

  async getValue<T>(address: Value<T>): Promise<StoredValue<T> | undefined> {
    const taken = takenAddress(address);
    return this.read((state) => state.value(taken));
  }

  async scanValues<T>(prefix: Value<T>): Promise<StoredValue<T>[]> {
    const taken = takenAddress(prefix);
    return this.read((state) => state.valuesWithPrefix(taken));
  }

  async readList<T>(address: ValueList<T>, options?: ListReadOptions): Promise<ListElement<T>[]> {
    const taken = takenAddress(address);
    const page = resolveListReadOptions(options);
    return this.read((state) => state.page(taken, page));
  }

  async scanBranch(query: BranchScan): Promise<Entry[]> {
    const walk = takenWalk(query);
    return this.read((state) => scanBranchEntries((id) => state.entry(id), walk));
  }

  async scanBranchStructure(query: BranchScan): Promise<EntryStructure[]> {
    const walk = takenWalk(query);
    return this.read((state) => scanBranchEntries((id) => state.entry(id), walk).map(structureOf));
  }

  async scanEntries(query: EntryScan): Promise<Entry[]> {
    const scan = takenScan(query);
    return this.read((state) => scanRange(state.entries, scan, (entry) => passesFilters(entry, scan)));
  }

  async scanUsage(query: UsageScan): Promise<UsageRow[]> {
    const scan = takenScan(query);
    return this.read((state) => scanRange(state.usage, scan));
  }

  getStats(): Promise<SessionStats> {
    return this.read((state) => state.stats);
  }

  /** Takes its turn as every read does; the store may go on and even close while `use` works. */
  async withImage<T>(use: (image: SessionImage) => Promise<T>): Promise<T> {
    return use(await this.read(imageOf));
  }

  /** @throws {StorageClosed} */
  protected openState(): MemoryState {
    if (this.#closed) throw new StorageClosed();
    return this.#state;
  }

  /** Refuses every call from now on (A12). */
  protected stopAdmission(): void {
    this.#closed = true;
  }
}
