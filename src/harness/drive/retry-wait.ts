/** The step between two attempts: waits until the next one is due (O4). */
import type { ActivationOutcome } from "../options.ts";
import type { Drive } from "./drive.ts";
import { sleep } from "./wait.ts";

/** Waits until the next attempt is due, or answers `waiting` when the caller asked for that (O4). */
export async function waitUntilDue(drive: Drive, notBefore: number): Promise<ActivationOutcome | undefined> {
  const { clock } = drive.core;
  while (!drive.lane.cancelRequested && clock.now() < notBefore) {
    if (!drive.waitForRetry) return { kind: "waiting", notBefore };
    await drive.untilPulled(sleep(drive.core, notBefore, drive.signal));
    drive.assertAlive();
  }
  return undefined;
}
