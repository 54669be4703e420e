/** Unwinds a drive that has ended: by its own result, a finalization, a fault or a close. Never leaves the harness. */
export class DriveOver extends Error {
  constructor() {
    super("The drive is over");
  }
}
