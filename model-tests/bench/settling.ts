/** A stream through the whole harness, over stores whose physical writes take their time. */
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { BurstStream, modelsWith } from "./burst-stream.ts";
import { type Measurement, measured, type System } from "./measurement.ts";
import type { BenchContext } from "./options.ts";
import { newPiMemorySession, type PiSystem, piStoreOf, startPi } from "./pi-system.ts";
import { type HarnessRun, startReference } from "./reference-system.ts";
import { sample } from "./sample.ts";
import { slowJsonl, slowPi } from "./slow-stores.ts";

/** Milliseconds that a physical write takes. */
export const writeTimesMs = [0, 1, 10] as const;

export const settleLatency = "last event to the end of the operation";
const streamTime = "first demand to the last event";
export const streamSlowdown = "stream time over the slowest store over that over the fastest";

export const referenceSubject = "harness on slow jsonl";

interface Harness {
  readonly subject: string;
  readonly system: System;
  start(stream: BurstStream, writeMs: number, folder: string): Promise<HarnessRun>;
}

interface Timing {
  readonly streamMs: number;
  readonly settleMs: number;
}

export async function measureSettling(context: BenchContext): Promise<Measurement[]> {
  const { pi } = context.installed;
  const found: Measurement[] = [];
  for (const harness of [reference, ...(pi === undefined ? [] : [piHarness(pi)])]) {
    found.push(...(await measureHarness(harness, context)));
  }
  return found;
}

async function measureHarness(harness: Harness, context: BenchContext): Promise<Measurement[]> {
  const { sizes, progress } = context;
  const { subject, system } = harness;
  const found = { subject, system, unit: "ms" as const, ...(harness === reference ? { peer: piSubject } : {}) };
  const settles: Measurement[] = [];
  const streams: Measurement[] = [];
  for (const writeMs of writeTimesMs) {
    progress(`${subject}: ${sizes.streamFrames} frames, ${writeMs} ms a write`);
    const timings = await sample(context, () => time(harness, writeMs, context));
    const at = `${writeMs} ms a write`;
    settles.push(measured({ ...found, quantity: settleLatency, at, samples: timings.map(({ settleMs }) => settleMs) }));
    streams.push(measured({ ...found, quantity: streamTime, at, samples: timings.map(({ streamMs }) => streamMs) }));
  }
  return [...settles, ...streams, slowdown(streams)];
}

/** C2: storage of any slowness adds no time between provider events. */
function slowdown(streams: readonly Measurement[]): Measurement {
  const [fast, slow] = [streams[0], streams.at(-1)];
  if (fast === undefined || slow === undefined) throw new Error("No stream was measured");
  const { subject, system } = fast;
  const samples = [slow.median / fast.median];
  return measured({ quantity: streamSlowdown, subject, system, at: `${slow.at} / ${fast.at}`, unit: "ratio", samples });
}

async function time(harness: Harness, writeMs: number, { sizes, folder }: BenchContext): Promise<Timing> {
  const own = mkdtempSync(join(folder, "settle-"));
  const stream = new BurstStream({ frames: sizes.streamFrames, ends: true });
  const run = await harness.start(stream, writeMs, own);
  const status = await run.drive();
  const settleMs = performance.now() - stream.endedAtMs;
  await run.close();
  rmSync(own, { recursive: true });
  if (status !== "completed") throw new Error(`The operation of ${harness.subject} ended as ${status}`);
  return { streamMs: stream.durationMs, settleMs };
}

const reference: Harness = {
  subject: referenceSubject,
  system: "assistant-durability",
  start: async (stream, writeMs, folder) =>
    startReference(await slowJsonl(join(folder, "session.jsonl"), writeMs), modelsWith(stream)),
};

const piSubject = "pi harness on slow memory";

const piHarness = (system: PiSystem): Harness => ({
  subject: piSubject,
  system: "pi-agent-core",
  start: async (stream, writeMs) => {
    const memory = await newPiMemorySession(system);
    const session = new system.pi.StorageBackedSession(memory.metadata, slowPi(piStoreOf(memory), writeMs));
    return startPi(system, session, modelsWith(stream));
  },
});
