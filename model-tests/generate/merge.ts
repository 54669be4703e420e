/** A schedule that is the beginning of another needs no run of its own: the longer run shows what it would show. */
import type { RacePurpose, Schedule } from "./schedule.ts";

interface Branch {
  readonly next: Map<number, Branch>;
  races: readonly RacePurpose[];
  schedule: Schedule | undefined;
}

const newBranch = (): Branch => ({ next: new Map(), races: [], schedule: undefined });

/**
 * The schedules that no other one continues, those that begin alike next to each other. Each takes over the rows that the
 * merged ones were for. A schedule that crashes inside its last step ends there, whatever follows elsewhere, and stays as it
 * is; so does one that asks for a content.
 */
export function mergePrefixes(schedules: readonly Schedule[]): Schedule[] {
  const root = newBranch();
  const merged: Schedule[] = [];
  for (const schedule of schedules) {
    if (schedule.inside !== undefined || schedule.content !== undefined) merged.push(schedule);
    else grow(root, schedule);
  }
  collect(root, [], merged);
  return merged;
}

function grow(root: Branch, schedule: Schedule): void {
  let branch = root;
  for (const { index } of schedule.edges) {
    const next = branch.next.get(index) ?? newBranch();
    branch.next.set(index, next);
    branch = next;
  }
  branch.races = [...branch.races, ...(schedule.races ?? [])];
  branch.schedule ??= schedule;
}

/** Rows on the way down go to the first run that passes through. */
function collect(branch: Branch, inherited: readonly RacePurpose[], merged: Schedule[]): void {
  const races = [...inherited, ...branch.races];
  if (branch.next.size === 0) {
    if (branch.schedule === undefined) return;
    const { edges } = branch.schedule;
    merged.push(races.length === 0 ? { edges } : { edges, races });
    return;
  }
  let passedOn: readonly RacePurpose[] = races;
  for (const next of branch.next.values()) {
    collect(next, passedOn, merged);
    passedOn = [];
  }
}
