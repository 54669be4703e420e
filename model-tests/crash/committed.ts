/** Everything that has landed in one session, replayed. */
import type { Write } from "../../src/index.ts";
import { Places } from "../stores/places.ts";
import { nameOfCommit } from "../world/commit-names.ts";
import { Interpreter } from "../world/interpreter.ts";
import { Loss } from "./loss.ts";

const zeroCost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const noStats = {
  messageCount: 0,
  usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: zeroCost },
};

interface Landed {
  readonly writes: readonly Write[];
  readonly seqs: readonly number[];
}

export class Committed {
  readonly durable = new Interpreter();
  readonly places = new Places();
  readonly #history: Landed[] = [];
  #lastSeq = 0;

  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** The numbers that a transaction gets which comes next (A3, A8). */
  numbersOf(writes: readonly Write[]): number[] {
    return writes.map((_, index) => this.#lastSeq + 1 + index);
  }

  /** @throws {Loss} when a rule of section A is broken. */
  add(writes: readonly Write[], seqs: readonly number[]): void {
    try {
      this.durable.apply(writes, { firstSeq: seqs[0] ?? 0, seqs: [...seqs], timestamp: 0, stats: noStats });
    } catch (error) {
      throw new Loss((error as Error).message);
    }
    this.places.add(writes);
    this.#history.push({ writes, seqs });
    this.#lastSeq = seqs.at(-1) ?? this.#lastSeq;
  }

  /** The same again, to go on with in another way. */
  copy(): Committed {
    const copy = new Committed();
    for (const { writes, seqs } of this.#history) copy.add(writes, seqs);
    return copy;
  }

  /** What kind of transaction it would be, for people. */
  kindOf(writes: readonly Write[]): string {
    const name = nameOfCommit(writes, this.durable, { requested: new Set(), returned: new Set() });
    // What the process has seen of its surroundings is not known here.
    return name === "recover" ? "settle" : name;
  }
}
