/** What no step may show, whatever the schedule was: each kind with the requirement that it breaks. */
import type { RequirementId } from "../../machines/index.ts";

/** Every kind of anomaly. One that is not listed here does not compile. */
export const anomalies = {
  "writes and sequence numbers differ in count": "A3",
  "a sequence number does not follow the one before": "A3",
  "the store accepted an entry without its parent": "A4",
  "the store accepted a second row with an id": "A4",
  "the store refused a commit": "A4",
  "the store and the replayed transactions differ": "A8",
  "a transaction belongs to no lane, or to both": "C4",
  "a deferred handle that is not the newest was used": "G1",
  "a process that is gone still uses its store": "K1",
  "a process that is gone still acts": "K1",
  "a process that is gone asks the provider to give up a response": "K1",
  "a process that is gone makes a request": "K1",
  "a call rejected with an untyped error": "K2",
  "an error that nobody awaits": "K2",
  "a request with prompts of other lanes": "P5",
  "an error of the checker's own": "N13",
} as const satisfies Readonly<Record<string, RequirementId>>;

/** The name of a kind. */
export type AnomalyKind = keyof typeof anomalies;

/** One anomaly, in words. */
export interface Anomaly {
  readonly requirement: RequirementId;
  readonly what: string;
}

/** @param detail what was seen, where the kind does not say all. */
export const anomaly = (kind: AnomalyKind, detail?: string): Anomaly => ({
  requirement: anomalies[kind],
  what: detail === undefined ? kind : `${kind}: ${detail}`,
});

/** An anomaly that is thrown where it is found, and noted where the step is recorded. */
export class AnomalyFound extends Error {
  override readonly name = "AnomalyFound";
  readonly anomaly: Anomaly;

  constructor(kind: AnomalyKind, detail?: string) {
    const found = anomaly(kind, detail);
    super(`${found.requirement}: ${found.what}`);
    this.anomaly = found;
  }
}

/** What is noted of a thrown value: itself when it is an anomaly. */
export const anomalyOf = (thrown: unknown): Anomaly =>
  thrown instanceof AnomalyFound
    ? thrown.anomaly
    : anomaly("an error of the checker's own", thrown instanceof Error ? thrown.message : String(thrown));
