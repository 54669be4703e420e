/** Time, as a session takes it from its host. */

/** The only source of time. */
export interface Clock {
  /** In milliseconds since the epoch. */
  now(): number;
  /** Resolves when the clock reaches `timeMs`, or at once when the signal is pulled. May resolve early. */
  sleepUntil(timeMs: number, signal: AbortSignal): Promise<void>;
}

// A longer timer would fire at once.
const longestTimerMs = 2_147_483_647;

/** The clock of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleepUntil(timeMs, signal) {
    return new Promise((resolve) => {
      if (signal.aborted) {
        resolve();
        return;
      }
      const timer = setTimeout(done, Math.min(Math.max(0, timeMs - Date.now()), longestTimerMs));
      signal.addEventListener("abort", done, { once: true });
      function done(): void {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        resolve();
      }
    });
  },
};
