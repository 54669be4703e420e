/** Checks the content of an image before it becomes a session, as a store checks transactions (A4, L2). */
import { StorageRejected } from "../../errors.ts";
import type { SessionImage, Survivor } from "../contract/image.ts";
import { type KnownIds, prepareWrites } from "./prepare.ts";

/**
 * The pages of an image, checked as a store checks transactions (A4). What it yields are copies: callers may keep
 * them. Of earlier pages it keeps the ids and no content.
 *
 * @throws {StorageRejected} as a commit does, or `stale_sequence` when the numbers do not increase.
 */
export async function* checkedPages(image: SessionImage): AsyncGenerator<readonly Survivor[]> {
  const known = new SeenIds();
  let next = 1;
  for await (const page of image.pages()) {
    for (const { seq } of page) next = following(seq, next);
    const writes = page.map(({ write }) => write);
    // Each write comes back as it went in, but for its content, which is a copy.
    const prepared = prepareWrites(writes, known) as Survivor["write"][];
    known.add(prepared);
    yield prepared.map((write, index) => ({ ...(page[index] as Survivor), write }));
  }
}

function following(seq: number, least: number): number {
  if (Number.isSafeInteger(seq) && seq >= least) return seq + 1;
  throw new StorageRejected("stale_sequence", `Number ${seq} comes where ${least} is the least`);
}

class SeenIds implements KnownIds {
  readonly #entries = new Set<string>();
  readonly #usage = new Set<string>();

  isEntry(id: string): boolean {
    return this.#entries.has(id);
  }

  isTaken(id: string): boolean {
    return this.#entries.has(id) || this.#usage.has(id);
  }

  add(writes: readonly Survivor["write"][]): void {
    for (const write of writes) {
      if (write.kind === "entry") this.#entries.add(write.entry.id);
      else if (write.kind === "usage") this.#usage.add(write.row.id);
    }
  }
}
