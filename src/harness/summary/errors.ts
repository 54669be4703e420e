import { DurabilityError } from "../../errors.ts";

/** Why there is no summary. */
export type SummaryFailure = "aborted" | "nothing_to_summarize" | "unknown_model" | "provider_error" | "unusable";

/** The lane was not summarized; nothing was written. Whether to try again is the caller's decision. */
export class SummaryFailed extends DurabilityError {
  readonly code = "summary_failed";
  readonly lane: string;
  readonly reason: SummaryFailure;

  constructor(lane: string, reason: SummaryFailure, what: string) {
    super(`Lane "${lane}" was not summarized: ${what}`);
    this.lane = lane;
    this.reason = reason;
  }
}

/** The lane got another tip while its summary was made: nothing was written, ask for a new summary. */
export class LaneMoved extends DurabilityError {
  readonly code = "lane_moved";
  readonly lane: string;
  readonly summarizedTipId: string | null;
  readonly tipId: string | null;

  constructor(lane: string, summarizedTipId: string | null, tipId: string | null) {
    super(`Lane "${lane}" moved from entry ${summarizedTipId} to ${tipId} while its summary was made`);
    this.lane = lane;
    this.summarizedTipId = summarizedTipId;
    this.tipId = tipId;
  }
}

/** The caller's signal was pulled, or the session ended. */
export function summaryAborted(lane: string): SummaryFailed {
  return new SummaryFailed(lane, "aborted", "it was aborted");
}
