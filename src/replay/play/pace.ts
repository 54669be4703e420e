/** When a replayed event comes. */
import { type Clock, systemClock } from "../../session/clock.ts";

/**
 * Called before each burst with the milliseconds since the burst before it, or since the request: the burst comes when the
 * promise resolves. A test that wants to say itself when each burst comes gives a function of its own.
 */
export type Pace = (gapMs: number, signal: AbortSignal) => Promise<void>;

/** Options of `recordedPace`. */
export interface PaceOptions {
  /** 2 plays twice as fast. Default: 1. */
  speed?: number;
  /** Longer gaps are cut to this, before they are scaled, in milliseconds. Default: 60,000. */
  maxGapMs?: number;
  /** Default: the clock of the machine. */
  clock?: Clock;
}

/**
 * The recorded times, scaled.
 *
 * @throws {TypeError} when the speed is not positive.
 */
export function recordedPace({ speed = 1, maxGapMs = 60_000, clock = systemClock }: PaceOptions = {}): Pace {
  if (!(speed > 0)) throw new TypeError(`The speed of a replay must be positive, not ${speed}`);
  return async (gapMs, signal) => {
    const due = clock.now() + Math.min(Math.max(0, gapMs), maxGapMs) / speed;
    while (clock.now() < due && !signal.aborted) await clock.sleepUntil(due, signal);
  };
}

/** As fast as a reader that does nothing else can follow. */
export const noPause: Pace = async () => {};
