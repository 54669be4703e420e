/**
 * An independent reading of transactions (section A): a few maps that replay what has landed. The world compares the
 * store with it after every landing, and reads the durable state of a run from it once they agree.
 */

import type { CommitResult, Write } from "../../src/index.ts";
import { AnomalyFound } from "./anomalies.ts";

/** A value as JSON has it, isolated from whoever wrote it. */
export class Replayed {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = jsonCopy(value) ?? null;
  }
}

/** What `JSON.parse(JSON.stringify(value))` gives for plain data, in a fraction of the time. */
function jsonCopy(value: unknown): unknown {
  if (typeof value === "number") return Number.isFinite(value) ? value + 0 : null;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((member) => jsonCopy(member) ?? null);
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const member = (value as Record<string, unknown>)[key];
    if (member === undefined) continue;
    // Plain assignment to `__proto__` would change the prototype instead of making a member.
    if (key === "__proto__") Object.defineProperty(copy, key, { value: jsonCopy(member), enumerable: true });
    else copy[key] = jsonCopy(member);
  }
  return copy;
}

export interface ReplayedEntry {
  readonly id: string;
  readonly parentId: string | null;
  readonly message: Replayed;
  readonly seq: number;
  /** When the store says that it was committed, in milliseconds since 1970. */
  readonly timestampMs: number;
}

export interface ReplayedUsage {
  readonly id: string;
  readonly entryId: string | undefined;
  readonly usage: Replayed;
  readonly seq: number;
}

export interface ReplayedElement {
  readonly seq: number;
  readonly element: Replayed;
}

/** Two levels: a joined key would have to be built and hashed for every look. */
class Places<T> {
  readonly #namespaces = new Map<string, Map<string, T>>();

  in(namespace: string): ReadonlyMap<string, T> | undefined {
    return this.#namespaces.get(namespace);
  }

  get namespaces(): readonly string[] {
    return [...this.#namespaces.keys()];
  }

  get(namespace: string, key: string): T | undefined {
    return this.#namespaces.get(namespace)?.get(key);
  }

  set(namespace: string, key: string, held: T): void {
    const keys = this.#namespaces.get(namespace);
    if (keys === undefined) this.#namespaces.set(namespace, new Map([[key, held]]));
    else keys.set(key, held);
  }

  delete(namespace: string, key: string): void {
    this.#namespaces.get(namespace)?.delete(key);
  }
}

const noElements: readonly ReplayedElement[] = [];

export class Interpreter {
  readonly #values = new Places<Replayed>();
  readonly #lists = new Places<ReplayedElement[]>();
  readonly entries: ReplayedEntry[] = [];
  readonly usage: ReplayedUsage[] = [];
  readonly #ids = new Set<string>();
  #lastSeq = 0;
  /** Counts the transactions, so that a reader knows when what it has read still holds. */
  version = 0;

  /** All values under the namespaces that are wanted. */
  values(
    isWanted: (namespace: string) => boolean,
  ): readonly { readonly namespace: string; readonly key: string; readonly value: unknown }[] {
    return this.#values.namespaces
      .filter(isWanted)
      .flatMap((namespace) =>
        [...(this.#values.in(namespace) ?? [])].map(([key, { value }]) => ({ namespace, key, value })),
      );
  }

  replayed(namespace: string, key: string): Replayed | undefined {
    return this.#values.get(namespace, key);
  }

  value(namespace: string, key: string): unknown {
    return this.replayed(namespace, key)?.value;
  }

  list(namespace: string, key: string): readonly ReplayedElement[] {
    return this.#lists.get(namespace, key) ?? noElements;
  }

  /** Keys of all lists in a namespace that hold at least one element. */
  listKeys(namespace: string): readonly string[] {
    return [...(this.#lists.in(namespace)?.keys() ?? [])];
  }

  /** Replay one landed transaction; throws when the store's answer breaks a rule of section A. */
  apply(writes: readonly Write[], result: CommitResult): void {
    if (result.seqs.length !== writes.length) {
      throw new AnomalyFound(
        "writes and sequence numbers differ in count",
        `${writes.length} writes got ${result.seqs.length} numbers`,
      );
    }
    this.version++;
    writes.forEach((write, index) => {
      const seq = result.seqs[index] as number;
      if (!(seq > this.#lastSeq)) {
        throw new AnomalyFound("a sequence number does not follow the one before", `${seq} after ${this.#lastSeq}`);
      }
      this.#lastSeq = seq;
      this.#write(write, seq, result.timestamp);
    });
  }

  #write(write: Write, seq: number, timestampMs: number): void {
    switch (write.kind) {
      case "entry": {
        const { entry } = write;
        this.#claim(entry.id);
        if (entry.parentId !== null && !this.entries.some((known) => known.id === entry.parentId)) {
          throw new AnomalyFound(
            "the store accepted an entry without its parent",
            `${entry.id}, parent ${entry.parentId}`,
          );
        }
        const message = "message" in entry ? entry.message : undefined;
        this.entries.push({ id: entry.id, parentId: entry.parentId, message: new Replayed(message), seq, timestampMs });
        return;
      }
      case "usage":
        this.#claim(write.row.id);
        this.usage.push({ id: write.row.id, entryId: write.row.entryId, usage: new Replayed(write.row.usage), seq });
        return;
      case "value":
        if (write.op === "set") this.#values.set(write.namespace, write.key, new Replayed(write.value));
        else this.#values.delete(write.namespace, write.key);
        return;
      case "list": {
        const { namespace, key } = write;
        if (write.op === "delete") this.#lists.delete(namespace, key);
        else {
          const elements = this.#lists.get(namespace, key);
          const element = { seq, element: new Replayed(write.value) };
          if (elements === undefined) this.#lists.set(namespace, key, [element]);
          else elements.push(element);
        }
        return;
      }
    }
  }

  #claim(id: string): void {
    if (this.#ids.has(id)) throw new AnomalyFound("the store accepted a second row with an id", id);
    this.#ids.add(id);
  }
}
