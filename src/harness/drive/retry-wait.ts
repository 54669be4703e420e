/** The step between two attempts: waits until the next one is due (O4). */
import type { ActivationOutcome } from "../options.ts";
import type { Drive } from "./drive.ts";
import { sleep } from "./wait.ts";

/** Waits until the next attempt is due, or answers `waiting` when nobody waits for it (O4). */
export async function waitUntilDue(drive: Drive, notBefore: number): Promise<ActivationOutcome | undefined> {
  const { clock } = drive.core;
  while (!drive.lane.cancelRequested && clock.now() < notBefore) {
    if (!drive.attendance.waits(notBefore)) return { kind: "waiting", notBefore };
    await drive.untilPulled(sleep(drive.core, notBefore, drive.signal));
    drive.assertAlive();
  }
  drive.attendance.goesOn();
  return undefined;
}
