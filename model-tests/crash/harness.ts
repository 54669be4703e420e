/** The harness of the campaign: the same settings before a death and after it, under a clock that nobody waits for. */
import {
  type Clock,
  type Harness,
  type HarnessHooks,
  type HarnessOptions,
  openHarness,
  Session,
  type Storage,
} from "../../src/index.ts";
import { SequentialIds } from "../world/ids.ts";
import { scriptModel } from "../world/script.ts";

/** Of every operation of the campaign. */
export const retryPolicy = { maxAttempts: 3, baseDelayMs: 1_000 } as const;

/** Under a clock that jumps, whoever is waited for only for a time would be left at once. */
const patience = { stopGraceMs: Number.POSITIVE_INFINITY, providerSilenceMs: Number.POSITIVE_INFINITY };

/** Opens a session over `storage`, and its harness. */
export function harnessOver(
  storage: Storage,
  clock: Clock,
  models: HarnessOptions["models"],
  hooks: HarnessHooks = {},
): Promise<Harness> {
  const session = new Session(storage, { clock, ids: new SequentialIds() });
  const model = { provider: scriptModel.provider, modelId: scriptModel.id };
  return openHarness({ session, models, model, retryPolicy, hooks, ...patience });
}

/** A clock that jumps to the time that is waited for, unless it never comes. */
export class JumpingClock implements Clock {
  #nowMs: number;

  constructor(startMs: number) {
    this.#nowMs = startMs;
  }

  now(): number {
    return this.#nowMs;
  }

  async sleepUntil(timeMs: number): Promise<void> {
    if (timeMs === Number.POSITIVE_INFINITY) return new Promise(() => {});
    this.#nowMs = Math.max(this.#nowMs, timeMs);
  }
}
