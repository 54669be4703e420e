/** Stores in a file answer as the memory store does, whatever happens to them (A8). */
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { observe, outcomeOf } from "../../testing/storage/observe.ts";
import { type Step, step } from "../../testing/storage/steps.ts";
import { type FileStorage, fileStores, type TestedFileStore, temporaryFolder } from "../../testing/storage/stores.ts";
import type { Storage } from "../contract/storage.ts";
import { MemoryStorage } from "../memory/memory.ts";

const ticking = () => {
  let time = 0;
  return () => ++time;
};

/** Hands over all transactions at once, and tells what each was replied. */
const commitAll = (storage: Storage, transactions: Extract<Step, { kind: "commit" }>["transactions"]) =>
  Promise.all(transactions.map((writes) => outcomeOf(storage.commit(writes))));

/** A session in a file, through all the handles that it has in its life. */
class Session {
  readonly #open: () => Promise<FileStorage>;
  storage: FileStorage;

  private constructor(storage: FileStorage, open: () => Promise<FileStorage>) {
    this.storage = storage;
    this.#open = open;
  }

  static async create(store: TestedFileStore, folder: string): Promise<Session> {
    const now = ticking();
    const open = () => store.open(join(folder, "session"), now);
    return new Session(await open(), open);
  }

  async perform({ kind }: Exclude<Step, { kind: "commit" }>): Promise<void> {
    if (kind === "compact") return this.storage.compact?.();
    await this.storage[kind]();
    this.storage = await this.#open();
  }
}

async function compare(store: TestedFileStore, steps: readonly Step[]): Promise<void> {
  const folder = temporaryFolder();
  const reference = new MemoryStorage({ now: ticking() });
  const session = await Session.create(store, folder.path);
  try {
    for (const one of steps) {
      if (one.kind === "commit") {
        const expected = await commitAll(reference, one.transactions);
        expectEqual(await commitAll(session.storage, one.transactions), expected);
      } else {
        await session.perform(one);
      }
      expectEqual(await observe(session.storage), await observe(reference));
    }
  } finally {
    await session.storage.close();
    folder.remove();
  }
}

/** The assertion makes the better report, and takes ten times as long to agree. */
function expectEqual(seen: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(seen, expected)) expect(seen).toStrictEqual(expected);
}

describe.each(fileStores)("the $name store beside the memory store", (store) => {
  test("[A8] any transactions, closes, deaths and compactions give the same replies and the same reads", async () => {
    const steps = fc.array(step, { minLength: 3, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(steps, (chosen) => compare(store, chosen)),
      { seed: 20_26, numRuns: 80 },
    );
  });
});
