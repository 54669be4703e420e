import type { Clock } from "../../src/index.ts";

/** A clock that is moved by whoever waits for it: nobody ever does. */
export class JumpingClock implements Clock {
  #nowMs: number;

  constructor(startMs: number) {
    this.#nowMs = startMs;
  }

  now(): number {
    return this.#nowMs;
  }

  async sleepUntil(timeMs: number): Promise<void> {
    this.#nowMs = Math.max(this.#nowMs, timeMs);
  }
}
