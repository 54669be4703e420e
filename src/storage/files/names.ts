/** The names of files that lie beside a session. No session may be called so, or another one would destroy it. */
import { NotASession } from "../../errors.ts";

/** A file that is being written to take the place of the session file; whoever opens the session for writing clears it. */
export function temporaryOf(path: string): string {
  return `${path}.unfinished`;
}

/** Ours, and those of SQLite. */
const keptEndings = [".unfinished", ".lock", "-wal", "-shm", "-journal"];

/**
 * Refuses the name of a file that may belong to another session. The case does not count, as on some file systems.
 *
 * @throws {NotASession}
 */
export function assertSessionName(path: string): void {
  const ending = keptEndings.find((kept) => path.toLowerCase().endsWith(kept));
  if (ending === undefined) return;
  throw new NotASession(
    path,
    `names that end in "${ending}" are kept for the files beside a session; give it another name`,
  );
}
