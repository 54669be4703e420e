/** A reviewed difference between a harness and the specification: a finding about the harness, understood. */
import type { RequirementId } from "../../machines/index.ts";
import type { ContentName } from "../contents/catalogue.ts";

/** A text, an expression that it fits, or one of several texts. */
export type Pattern = string | RegExp | readonly string[];

/** One entry of the reviewed list of a harness. Each of its cases must occur in a default verification, or it is stale. */
export interface KnownDivergence {
  readonly id: string;
  readonly requirement: RequirementId;
  /** What the harness does, in one sentence. */
  readonly summary: string;
  /** Why the specification is right. */
  readonly why: string;
  /**
   * By what it is recognised: the requirement that the comparison names, the action, the states that the specification is
   * in before and after it, the field and its two values.
   */
  readonly matches: readonly {
    readonly requirement: Pattern;
    readonly action: Pattern;
    readonly from?: Pattern;
    readonly state?: Pattern;
    readonly field: Pattern;
    readonly expected: Pattern;
    readonly actual: Pattern;
    /** A schedule that shows this case: each verification drives it, so that no case is listed that does not occur. */
    readonly schedule?: readonly string[];
    /** The content that this schedule needs. */
    readonly content?: ContentName;
  }[];
  /** Contents that show it wherever they are met: only schedules of this entry stream them, so that they hide nothing else. */
  readonly leftOut?: readonly ContentName[];
  /** A minimal schedule that shows it. */
  readonly schedule: readonly string[];
  /** The content that this schedule needs. */
  readonly content?: ContentName;
}
