/** What the project promises of its stores, beside what was measured. A budget says nothing about an exit code. */
import { appendRate, flatness } from "./appends.ts";
import { findMeasurement, type Measurement } from "./measurement.ts";
import { referenceSubject, settleLatency, streamSlowdown } from "./settling.ts";

type Verdict = "met" | "not met" | "not measured";

export interface Budget {
  readonly budget: string;
  readonly bound: "at least" | "at most";
  readonly limit: number;
  readonly unit: string;
  readonly measured?: number;
  /** Under which condition. */
  readonly at?: string;
  readonly verdict: Verdict;
}

interface Promised extends Pick<Budget, "budget" | "bound" | "limit" | "unit"> {
  readonly quantity: string;
  readonly subject: string;
  /** The only condition under which it is promised; otherwise each one measured counts, and the worst is shown. */
  readonly at?: string;
}

/** Frames of the stream that the settle budget speaks of. */
const promisedStream = 2_000;

const promises: readonly Promised[] = [
  {
    budget: "appends in memory",
    quantity: appendRate,
    subject: "memory",
    bound: "at least",
    limit: 100_000,
    unit: "frames/s",
  },
  {
    budget: "appends in memory, longest over shortest response",
    quantity: flatness,
    subject: "memory",
    bound: "at least",
    limit: 0.8,
    unit: "ratio",
  },
  {
    budget: "appends on JSONL without fsync",
    quantity: appendRate,
    subject: "jsonl process",
    bound: "at least",
    limit: 50_000,
    unit: "frames/s",
  },
  {
    budget: `settling after ${promisedStream.toLocaleString("en-US")} frames, 1 ms a write`,
    quantity: settleLatency,
    subject: referenceSubject,
    at: "1 ms a write",
    bound: "at most",
    limit: 20,
    unit: "ms",
  },
  {
    budget: "stream time, slowest over fastest store (C2)",
    quantity: streamSlowdown,
    subject: referenceSubject,
    bound: "at most",
    limit: 1.1,
    unit: "ratio",
  },
];

export function judge(all: readonly Measurement[], streamFrames: number): Budget[] {
  return promises.map(({ quantity, subject, at, ...promise }) => {
    if (quantity === settleLatency && streamFrames !== promisedStream) return { ...promise, verdict: "not measured" };
    const found =
      at === undefined ? worst(all, quantity, subject, promise.bound) : findMeasurement(all, quantity, subject, at);
    if (found === undefined) return { ...promise, verdict: "not measured" };
    const met = promise.bound === "at least" ? found.median >= promise.limit : found.median <= promise.limit;
    return { ...promise, measured: found.median, at: found.at, verdict: met ? "met" : "not met" };
  });
}

function worst(
  all: readonly Measurement[],
  quantity: string,
  subject: string,
  bound: Budget["bound"],
): Measurement | undefined {
  const found = all
    .filter((it) => it.quantity === quantity && it.subject === subject)
    .sort((left, right) => left.median - right.median);
  return bound === "at least" ? found[0] : found.at(-1);
}
