/** The only source of time in a run. It stands still until the driver steps it to the next due time. */
import type { Clock, VirtualTime } from "../adapters/adapter.ts";

// Captured before any fake timers.
const nextTurn = globalThis.setImmediate;
const turn = (): Promise<void> => new Promise((resolve) => void nextTurn(resolve));

interface Sleeper {
  readonly dueMs: number;
  wake(): void;
}

export class VirtualClock implements Clock, VirtualTime {
  nowMs = 1_000_000;
  readonly #sleepers = new Set<Sleeper>();
  readonly #listeners = new Set<(nowMs: number) => void | Promise<void>>();

  now(): number {
    return this.nowMs;
  }

  sleepUntil(timeMs: number, signal: AbortSignal): Promise<void> {
    if (timeMs <= this.nowMs) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const sleeper = { dueMs: timeMs, wake: resolve };
      this.#sleepers.add(sleeper);
      signal.addEventListener(
        "abort",
        () => {
          this.#sleepers.delete(sleeper);
          reject(signal.reason);
        },
        { once: true },
      );
    });
  }

  onStep(listener: (nowMs: number) => void | Promise<void>): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Step to `timeMs`, waking every sleeper on the way in the order of its due time. Never steps back. Each is woken a moment
   * early first, as a timer may do: who does not look at the clock again is too early (O4).
   */
  async stepTo(timeMs: number): Promise<void> {
    const wokenEarly = new Set<number>();
    for (;;) {
      const next = [...this.#sleepers].sort((a, b) => a.dueMs - b.dueMs)[0];
      if (next === undefined || next.dueMs > timeMs) break;
      const isEarly = !wokenEarly.has(next.dueMs);
      wokenEarly.add(next.dueMs);
      this.nowMs = Math.max(this.nowMs, isEarly ? next.dueMs - 1 : next.dueMs);
      this.#sleepers.delete(next);
      next.wake();
      // Whoever was woken reads its own due time, not the end of the step.
      await turn();
    }
    this.nowMs = Math.max(this.nowMs, timeMs);
    for (const listener of this.#listeners) await listener(this.nowMs);
  }

  /** Forget the sleepers of a process that is gone. */
  forget(): void {
    this.#sleepers.clear();
  }
}
