/** What a deliberate fault in `src/` consists of. */
export interface Edit {
  /** Path below `src/`. */
  readonly file: string;
  /** Must occur exactly once: a fault that no longer fits the sources is stale. */
  readonly find: string;
  readonly replace: string;
}

export interface Fault {
  readonly id: string;
  readonly title: string;
  readonly edits: readonly [Edit, ...Edit[]];
  readonly breaks: readonly string[];
}
