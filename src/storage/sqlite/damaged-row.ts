/**
 * A row of a session that no store wrote. Callers see it as the cause of a `StorageFailed`. The content of the row is
 * not told.
 */
export class DamagedRow extends Error {
  constructor(table: string, seq: unknown, cause: unknown) {
    const row = typeof seq === "number" ? `row ${seq}` : "a row";
    super(`${row} of table ${table} is damaged: ${reasonOf(cause)}; restore the session from a copy`, { cause });
  }
}

/** The message of a syntax error quotes what it found. */
function reasonOf(cause: unknown): string {
  return cause instanceof SyntaxError ? "its content is no JSON" : (cause as Error).message;
}

/** What `decode` makes of a row. */
export function decoded<T>(table: string, seq: unknown, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    throw new DamagedRow(table, seq, error);
  }
}

/**
 * Requires rows to come in the order that was asked for, behind the number `first`: whoever reads page by page goes on
 * behind the last one, and would not come to an end.
 */
export function assertOrder(
  table: string,
  rows: readonly { readonly seq: number }[],
  order: "asc" | "desc",
  first: number,
): void {
  let last = first;
  for (const { seq } of rows) {
    if (order === "asc" ? seq <= last : seq >= last) throw new DamagedRow(table, seq, new Error("it is out of order"));
    last = seq;
  }
}
