/** Copies a session, number by number, into a new one of any store (L2). */
import type { ImageSource, NewSession } from "../storage/contract/image.ts";

/**
 * A precise rewrite (L2): makes a new session that answers every read as the source does, sequence numbers of entries,
 * usage rows, values and list elements included, and gives the next write the same number (A8, A10). What was deleted is
 * not in it (A10). The two stores may be of different kinds, so this also turns JSONL into SQLite and back.
 *
 * The source is read at one moment and never changed; it may be open for writing, and what it commits later is not in
 * the new session. An open operation stays open: the new session is the same session, to be opened instead of the old.
 * Its identity is no part of the content, see `newJsonlSession`.
 *
 * Content passes page by page; the memory that it takes does not depend on the length of the session, except for what
 * the stores of JSON lines and of memory hold in any case, and for the ids, which are checked again.
 *
 * @param target makes the session: `newMemorySession`, `newJsonlSession` or `newSqliteSession`. Either
 * it makes all of it or none.
 * @throws what `target` refuses with, `StorageClosed` or `StorageFailed` of the source; nothing was made then, except
 * that after a `StorageFailed` of the target it may have been.
 */
export function rewriteSession<T>(source: ImageSource, target: NewSession<T>): Promise<T> {
  return source.withImage(target);
}
