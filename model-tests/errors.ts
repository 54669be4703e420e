/** The errors of the checker. What a driven harness does wrong is never one of them: that is a divergence. */

/** Wrong usage or unreadable input: one line that says what, and how to mend it. The command line exits with 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The adapter itself is at fault: it cannot boot, or answers what no adapter may. */
export class AdapterError extends Error {
  override readonly name = "AdapterError";
}

/** The harness kept moving for longer than any schedule step needs. */
export class NoQuiescence extends Error {
  override readonly name = "NoQuiescence";
  /** @param turns how many turns of the event loop it was given. */
  constructor(turns: number) {
    super(`the harness did not come to rest within ${turns} turns of the event loop`);
  }
}
