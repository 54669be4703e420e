/** What of a session is forked. */
export type ForkScope =
  /** The whole tree of entries, and every lane. */
  | { readonly scope: "tree" }
  /** The named lanes, with the entries that lead to their tips. */
  | { readonly scope: "lanes"; readonly lanes: readonly string[] }
  /** One lane up to an entry of it. */
  | {
      readonly scope: "branch";
      readonly branch: string;
      /** On the way from the root to the tip. Default: the tip. */
      readonly entryId?: string;
      /** Whether the fork ends at that entry or at its parent. Default: at. */
      readonly position?: "at" | "before";
    };

export type ForkOptions = ForkScope & {
  /**
   * What to do when a lane in scope has an open operation. `refuse`: nothing is forked. `leaveBehind`: the lane is forked
   * as it stands, idle at its present tip; the operation goes on in the source alone. Default: refuse.
   */
  readonly openOperations?: "refuse" | "leaveBehind";
};
