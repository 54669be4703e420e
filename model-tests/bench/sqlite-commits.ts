/** Counts the transactions that SQLite commits. */
import type { Statement } from "better-sqlite3";

/** Counts the COMMITs of SQLite below the store: better-sqlite3 prepares them as a statement of that text. */
export async function countingCommits<T>(work: () => Promise<T>): Promise<{ value: T; commits: number }> {
  const { prototype } = (await import("better-sqlite3")).default;
  const { prepare } = prototype;
  let commits = 0;
  const counted = (statement: Statement): Statement => {
    const run = statement.run.bind(statement);
    statement.run = (...bindings: unknown[]) => {
      commits++;
      return run(...bindings);
    };
    return statement;
  };
  prototype.prepare = function (this: typeof prototype, source: string) {
    const statement = prepare.call(this, source);
    return source === "COMMIT" ? counted(statement) : statement;
  } as typeof prepare;
  try {
    return { value: await work(), commits };
  } finally {
    prototype.prepare = prepare;
  }
}
