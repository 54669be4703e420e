/** Finds the bursts of a recorded stream: the events that a provider gave in one go, before anybody could read one. */
import type { RecordedEvent } from "../fixture/fixture.ts";
import { StreamPlayer } from "../fixture/player.ts";

/** A range of events, `to` excluded. */
export interface Burst {
  readonly from: number;
  readonly to: number;
}

/**
 * The bursts in order. An event belongs to the burst before it when it came in the same millisecond and the message
 * showed it already.
 *
 * @throws {RangeError} when the events are not those of a stream.
 */
export function burstsOf(events: readonly RecordedEvent[]): Burst[] {
  const player = new StreamPlayer();
  const bursts: Burst[] = [];
  let from = 0;
  for (const [index, { at }] of events.entries()) {
    player.play(events, index);
    if (index === 0 || (at === events[index - 1]?.at && !player.showedMore)) continue;
    bursts.push({ from, to: index });
    from = index;
  }
  if (events.length > 0) bursts.push({ from, to: events.length });
  return bursts;
}
