/** Wrong usage or unreadable input: one line that says what, and how to mend it. The command line exits with 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
