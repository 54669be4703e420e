/** Who waits for the outcome of a drive: some through the wait for a retry, others only until it begins (O3, O4). */
import type { ActivationOutcome } from "../options.ts";

/** The activations of one drive. */
export class Attendance {
  readonly #outcome: Promise<ActivationOutcome>;
  #isPatient = false;
  /** While the drive waits for a retry: when that is due, in milliseconds since the epoch. */
  #dueAt: number | undefined;
  readonly #impatient = new Set<(outcome: ActivationOutcome) => void>();

  /** @param outcome what the drive comes to. */
  constructor(outcome: Promise<ActivationOutcome>) {
    this.#outcome = outcome;
  }

  /** One more activation. One that does not wait for a retry is answered when the drive does, now or later. */
  join(waitForRetry: boolean): Promise<ActivationOutcome> {
    if (waitForRetry) {
      this.#isPatient = true;
      return this.#outcome;
    }
    if (this.#dueAt !== undefined) return Promise.resolve({ kind: "waiting", notBefore: this.#dueAt });
    return new Promise((resolve, reject) => {
      this.#impatient.add(resolve);
      this.#outcome.then(resolve, reject);
    });
  }

  /** The drive is about to wait. Answers whether anybody waits with it; everybody else is told when the retry is due. */
  waits(notBefore: number): boolean {
    for (const answer of this.#impatient) answer({ kind: "waiting", notBefore });
    this.#impatient.clear();
    if (this.#isPatient) this.#dueAt = notBefore;
    return this.#isPatient;
  }

  /** The wait is over. */
  goesOn(): void {
    this.#dueAt = undefined;
  }
}
