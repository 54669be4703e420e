/** How long others are waited for: what the options of a harness may say, and what holds without them (Q4). */
import type { HarnessOptions } from "../options.ts";

/** Both in milliseconds. */
interface Patience {
  readonly stopGraceMs: number;
  readonly providerSilenceMs: number;
}

const defaults: Patience = { stopGraceMs: 5_000, providerSilenceMs: 600_000 };

/** How long this harness waits. */
export function patienceOf({
  stopGraceMs = defaults.stopGraceMs,
  providerSilenceMs = defaults.providerSilenceMs,
}: Pick<HarnessOptions, "stopGraceMs" | "providerSilenceMs">): Patience {
  return { stopGraceMs, providerSilenceMs };
}

/** @throws {TypeError} when a time is no number that makes sense. */
export function assertPatience(options: HarnessOptions): void {
  const { stopGraceMs, providerSilenceMs } = patienceOf(options);
  if (!(stopGraceMs >= 0)) throw new TypeError(`stopGraceMs must not be negative, and is ${stopGraceMs}`);
  if (!(providerSilenceMs > 0)) throw new TypeError(`providerSilenceMs must be positive, and is ${providerSilenceMs}`);
}
