/** The step between two attempts: waits until the next one is due (O4). */
import type { ActivationOutcome } from "../options.ts";
import type { Drive } from "./drive.ts";

/** Waits until the next attempt is due, or answers `waiting` when the caller asked for that (O4). */
export async function waitUntilDue(drive: Drive, notBefore: number): Promise<ActivationOutcome | undefined> {
  const { clock } = drive.core;
  while (!drive.lane.cancelRequested && clock.now() < notBefore) {
    if (!drive.waitForRetry) return { kind: "waiting", notBefore };
    await Promise.race([sleep(drive, notBefore), drive.whenPulled()]);
    drive.assertAlive();
  }
  return undefined;
}

/** A clock may answer a pulled signal by rejecting; any other rejection is a defect of the clock. */
async function sleep(drive: Drive, untilMs: number): Promise<void> {
  try {
    await drive.core.clock.sleepUntil(untilMs, drive.signal);
  } catch (error) {
    if (!drive.signal.aborted) throw error;
  }
}
