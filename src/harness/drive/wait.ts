/** Waiting for somebody outside this process's storage: a provider, a listener, a hook. Nobody is waited for without end (Q4). */
import type { SessionCore } from "../../session/core.ts";

/** Why somebody is left behind: the grace of a cancel has passed, or a provider was silent for too long. */
export type Left = "stopped" | "silent";

/** Waits for one answer after the other. Once it is left, nothing is waited for any more. */
export class Wait {
  #left: Left | undefined;
  #leave: (() => void) | undefined;

  /** Why it was left, if it was. */
  get left(): Left | undefined {
    return this.#left;
  }

  /** Resolves with the answer, or with `undefined` when it is left first. What comes later, an error too, comes to nothing. */
  for<T>(answer: PromiseLike<T>): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      this.#leave = () => resolve(undefined);
      answer.then(resolve, reject);
      if (this.#left !== undefined) resolve(undefined);
    });
  }

  leave(why: Left): void {
    this.#left ??= why;
    this.#leave?.();
  }
}

/** Sleeps. A clock may answer a pulled signal by rejecting; any other rejection is a defect of the clock. */
export async function sleep({ clock }: SessionCore, untilMs: number, signal: AbortSignal): Promise<void> {
  try {
    await clock.sleepUntil(untilMs, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Sleeps until that time has come, however early the clock wakes; answers whether it has, or the signal was pulled before. */
export async function sleepOut(core: SessionCore, untilMs: number, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted && core.clock.now() < untilMs) await sleep(core, untilMs, signal);
  return !signal.aborted;
}
