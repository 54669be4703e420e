/** The image of a session whose content is in memory: what a rewrite, a fork or a compaction reads. */
import { imagePageSize, type SessionImage, type Survivor } from "../contract/image.ts";
import type { MemoryState } from "./state.ts";

/** The image of a state that is in memory. It holds on to what the state held, and copies none of it. */
export function imageOf(state: MemoryState): SessionImage {
  const survivors = state.survivors();
  return { nextSeq: state.nextSeq, pages: () => pagesOf(survivors) };
}

async function* pagesOf(survivors: readonly Survivor[]): AsyncGenerator<readonly Survivor[]> {
  for (let from = 0; from < survivors.length; from += imagePageSize) yield survivors.slice(from, from + imagePageSize);
}
