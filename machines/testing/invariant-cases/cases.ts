/** What hand-made histories an invariant is tested with. */
import type { History } from "../../history.ts";

/** The histories of one invariant. */
export interface Cases {
  /** The premise holds and nothing is wrong. */
  readonly good: Readonly<Record<string, History>>;
  /** What is wrong, and the step that the invariant must name. */
  readonly bad: Readonly<Record<string, { readonly step: number; readonly history: History }>>;
  /** The situation that the invariant speaks about does not occur. */
  readonly without: History;
}
