/** What SQLite itself says about a database that nobody has open. */
export async function integrityOf(path: string): Promise<string> {
  const { default: Database } = await import("better-sqlite3");
  const database = new Database(path);
  try {
    return String(database.pragma("integrity_check", { simple: true }));
  } finally {
    database.close();
  }
}
