/** What a benchmark finds. */
import { median } from "./sample.ts";

const systems = ["assistant-durability", "pi-agent-core"] as const;
export type System = (typeof systems)[number];

type Unit = "frames/s" | "ms" | "bytes" | "MB" | "transactions" | "ratio";

/** One quantity of one subject under one condition. */
export interface Measurement {
  readonly quantity: string;
  /** The store or harness. */
  readonly subject: string;
  readonly system: System;
  /** The condition, such as a number of frames. */
  readonly at: string;
  readonly unit: Unit;
  readonly samples: readonly number[];
  readonly median: number;
  /** The subject of pi-agent-core that this one stands beside. */
  readonly peer?: string;
  /** The median over the peer's median. */
  readonly ratio?: number;
}

export function measured(found: Omit<Measurement, "median" | "ratio">): Measurement {
  return { ...found, median: median(found.samples) };
}

/** Puts every measurement in relation to its peer, where that was measured under the same condition. */
export function compared(all: readonly Measurement[]): Measurement[] {
  return all.map((it) => {
    const peer = it.peer === undefined ? undefined : findMeasurement(all, it.quantity, it.peer, it.at);
    return peer === undefined ? it : { ...it, ratio: it.median / peer.median };
  });
}

export function findMeasurement(
  all: readonly Measurement[],
  quantity: string,
  subject: string,
  at: string,
): Measurement | undefined {
  return all.find((it) => it.quantity === quantity && it.subject === subject && it.at === at);
}
