/** Leaves a provider that is silent for longer than the host has stated (Q4). */
import type { SessionCore } from "../../session/core.ts";
import { sleepOut, type Wait } from "./wait.ts";

/** Follows one stream: one timer for all of its events, however many there are. */
export class Silence {
  readonly #core: SessionCore;
  readonly #longestMs: number;
  readonly #ended = new AbortController();
  /** When the provider was asked for its next event; `undefined` while it is not asked. */
  #askedAt: number | undefined;

  constructor(core: SessionCore, longestMs: number) {
    this.#core = core;
    this.#longestMs = longestMs;
  }

  /** The provider is asked for its next event. */
  ask(): void {
    this.#askedAt = this.#core.clock.now();
  }

  /** The provider has answered. */
  hear(): void {
    this.#askedAt = undefined;
  }

  /** The stream is not followed any more. */
  end(): void {
    this.#ended.abort();
  }

  /** Leaves the wait when the provider has been silent for too long. */
  async watch(wait: Wait): Promise<void> {
    const { clock } = this.#core;
    for (;;) {
      const until = (this.#askedAt ?? clock.now()) + this.#longestMs;
      if (!(await sleepOut(this.#core, until, this.#ended.signal))) return;
      if (this.#askedAt !== undefined && this.#askedAt + this.#longestMs <= clock.now()) return wait.leave("silent");
    }
  }
}
