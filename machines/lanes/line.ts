/** The one session line of two lanes: who stands where, what lands next, and what waits for nothing any more (K3, C4). */
import type { LineItem } from "../operation/rules/context.ts";
import type { LaneName, Place } from "./vocabulary.ts";

/** The one session line of both lanes, in order. */
export type Line = readonly Place[];

/** The place that is answered next. */
export const head = (line: Line): Place | undefined => line[0];

/** The place that lands next: consecutive frame appends overlap at the store, whichever lane they are of; nothing else does. */
export function nextToLand(line: Line): Place | undefined {
  const landed = line.filter((place) => place.landed).length;
  const next = line[landed];
  const overlaps = next?.commit === "frame" && line.slice(0, landed).every(({ commit }) => commit === "frame");
  return landed === 0 || overlaps ? next : undefined;
}

/** The line after a step of `lane` that has left `items` on it. Its first place is gone when the step was its `reply`. */
export function requeue(line: Line, lane: LaneName, items: readonly LineItem[], replied: boolean): Line {
  const waiting = replied ? line.slice(1) : line;
  const own = waiting.filter((place) => isOf(lane, place));
  // A lane loses all that it has on the line or nothing.
  const lost = own.some(({ commit }, at) => items[at]?.commit !== commit);
  let at = 0;
  const places = waiting.flatMap((place): Place[] => {
    if (!isOf(lane, place)) return [place];
    if (!lost) return [{ ...place, landed: items[at++]?.landed === true }];
    // An append without an owner holds back nothing (C4); any other transaction keeps its turn.
    return place.commit === "frame" ? [] : [{ ...place, idle: true }];
  });
  const joined = items
    .slice(lost ? 0 : own.length)
    .map(({ commit, landed }) => ({ lane, commit, landed, idle: false }));
  return [...places, ...joined];
}

const isOf = (lane: LaneName, place: Place): boolean => place.lane === lane && !place.idle;
