/** What may be asked of a fork, and which entries and lanes it takes over (L1). */
import { ForkRefused } from "../errors.ts";
import type { ForkSurvey } from "./fork-survey.ts";

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

/** What is forked, and what becomes of open operations (L1). */
export type ForkOptions = ForkScope & {
  /**
   * What to do when a lane in scope has an open operation. `refuse`: nothing is forked. `leaveBehind`: the lane is forked
   * as it stands, idle at its present tip; the operation goes on in the source alone. Default: refuse.
   */
  readonly openOperations?: "refuse" | "leaveBehind";
};

/** What a fork takes over. */
export interface ForkSelection {
  hasEntry(id: string): boolean;
  hasLane(lane: string): boolean;
  /** The tip that a lane of the fork gets. */
  tipOf(lane: string): string | null;
  /** Values and lists of the application, which belong to the session as a whole and to no lane. */
  readonly hasApplicationState: boolean;
}

/** @throws {ForkRefused} when the survey does not allow what the options ask for. */
export function selectFork(survey: ForkSurvey, options: ForkOptions): ForkSelection {
  const selection = options.scope === "tree" ? wholeTree(survey) : lanesOf(survey, tipsOf(survey, options));
  if (options.openOperations !== "leaveBehind") refuseOpenOperations(survey, selection);
  return selection;
}

function wholeTree({ tips, parents }: ForkSurvey): ForkSelection {
  for (const [lane, tip] of tips) if (tip !== null && !parents.has(tip)) throw unknownEntry(lane, tip);
  return {
    hasEntry: () => true,
    hasLane: () => true,
    tipOf: (lane) => tips.get(lane) ?? null,
    hasApplicationState: true,
  };
}

function lanesOf(survey: ForkSurvey, tips: ReadonlyMap<string, string | null>): ForkSelection {
  const entries = new Set<string>();
  for (const [lane, tip] of tips) {
    for (const id of pathFrom(survey, lane, tip)) {
      if (entries.has(id)) break;
      entries.add(id);
    }
  }
  return {
    hasEntry: (id) => entries.has(id),
    hasLane: (lane) => tips.has(lane),
    tipOf: (lane) => tips.get(lane) ?? null,
    hasApplicationState: false,
  };
}

/** The lanes in scope and where each of them ends in the fork. */
function tipsOf(survey: ForkSurvey, options: ForkOptions & { scope: "lanes" | "branch" }): Map<string, string | null> {
  if (options.scope === "lanes") return new Map(options.lanes.map((lane) => [lane, sourceTip(survey, lane)]));
  const { branch, entryId, position = "at" } = options;
  const tip = sourceTip(survey, branch);
  const end = entryId ?? tip;
  if (end === null) return new Map([[branch, null]]);
  if (![...pathFrom(survey, branch, tip)].includes(end)) {
    throw new ForkRefused("entry_not_on_branch", `entry ${end} is not on the way to the tip of branch "${branch}"`);
  }
  return new Map([[branch, position === "at" ? end : (survey.parents.get(end) ?? null)]]);
}

function sourceTip({ tips, configured, states }: ForkSurvey, lane: string): string | null {
  const tip = tips.get(lane);
  if (tip === undefined) throw new ForkRefused("unknown_lane", `there is no lane "${lane}"`);
  if (configured.has(lane) && states.has(lane)) return tip;
  throw new ForkRefused("unconfigured_lane", `"${lane}" is a branch that was never set up as a lane`);
}

function* pathFrom({ parents }: ForkSurvey, lane: string, tip: string | null): Generator<string> {
  for (let id = tip; id !== null; ) {
    const parent = parents.get(id);
    if (parent === undefined) throw unknownEntry(lane, id);
    yield id;
    id = parent;
  }
}

function refuseOpenOperations({ states }: ForkSurvey, { hasLane }: ForkSelection): void {
  for (const [lane, { currentOperationId }] of states) {
    if (currentOperationId === null || !hasLane(lane)) continue;
    throw new ForkRefused(
      "open_operation",
      `lane "${lane}" has the open operation ${currentOperationId}: end it, leave the lane out, or leave the operation behind`,
    );
  }
}

function unknownEntry(lane: string, id: string): ForkRefused {
  return new ForkRefused("unknown_entry", `lane "${lane}" leads to entry ${id}, which does not exist`);
}
