/** Frames appended per second, and what they take on disk. */
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import type { AssistantMessageFrame } from "@earendil-works/pi-ai";
import { frameAt } from "../world/script.ts";
import type { AppendStore, OpenStore } from "./append-stores.ts";
import { textRequest } from "./burst-stream.ts";
import { type Measurement, measured } from "./measurement.ts";
import type { BenchContext } from "./options.ts";
import { sample } from "./sample.ts";
import { countingCommits } from "./sqlite-commits.ts";

/** How many frames a stream gives in one turn of the event loop: what a network read may bring. */
export const framesPerTurn = 100;

/** A short response takes too little time to be measured alone. */
const greatestRepeat = 10;

/** Bytes and writes a frame hardly depend on the length. */
const greatestDensity = 20_000;

export const appendRate = "append rate";
export const flatness = "append rate of the longest over the shortest response";

export async function measureAppends(store: AppendStore, context: BenchContext): Promise<Measurement[]> {
  const { sizes, progress } = context;
  const { subject, system } = store;
  const found = { subject, system, ...(store.peer === undefined ? {} : { peer: store.peer }) };
  const longest = Math.max(...sizes.appendFrames);
  const rates: Measurement[] = [];
  // The longest first: it warms the code up for the others as well, which are over too soon for that.
  for (const frames of [...sizes.appendFrames].reverse()) {
    progress(`${subject}: ${frames} frames`);
    const list = framesOf(frames);
    const repeat = Math.min(greatestRepeat, Math.max(1, Math.floor(longest / frames)));
    const samples = await sample(context, () => inStore(store, context, (open) => rateOf(open, list, repeat)));
    rates.unshift(measured({ ...found, quantity: appendRate, at: `${frames} frames`, unit: "frames/s", samples }));
  }
  const [first, last] = [rates[0], rates.at(-1)];
  if (first === undefined || last === undefined || rates.length === 1) return rates;
  const samples = [last.median / first.median];
  return [
    ...rates,
    measured({ quantity: flatness, subject, system, at: `${last.at} / ${first.at}`, unit: "ratio", samples }),
  ];
}

/** Bytes a frame, and transactions to a physical write, fsync or COMMIT. */
export async function measureDensity(store: AppendStore, context: BenchContext): Promise<Measurement[]> {
  const { subject, system, peer } = store;
  const frames = Math.min(greatestDensity, Math.max(...context.sizes.appendFrames));
  context.progress(`${subject}: bytes and writes`);
  const { bytes, writes, syncs, commits } = await usageOf(store, context, framesOf(frames));
  const found = { subject, system, at: `${frames} frames`, ...(peer === undefined ? {} : { peer }) };
  const per = (what: string, count: number): Measurement[] =>
    count === 0
      ? []
      : [measured({ ...found, quantity: `transactions per ${what}`, unit: "transactions", samples: [frames / count] })];
  return [
    measured({ ...found, quantity: "bytes per frame", unit: "bytes", samples: [bytes / frames] }),
    ...per("physical write", writes),
    ...per("fsync", syncs),
    ...per("COMMIT", commits),
  ];
}

interface Usage {
  readonly bytes: number;
  readonly writes: number;
  readonly syncs: number;
  /** Of SQLite. */
  readonly commits: number;
}

async function usageOf(
  store: AppendStore,
  context: BenchContext,
  list: readonly AssistantMessageFrame[],
): Promise<Usage> {
  const work = () => inStore(store, context, (open) => usageIn(open, list));
  if (store.inSqlite !== true) return { ...(await work()), commits: 0 };
  const { value, commits } = await countingCommits(work);
  return { ...value, commits };
}

async function usageIn(open: OpenStore, list: readonly AssistantMessageFrame[]): Promise<Omit<Usage, "commits">> {
  const empty = open.size();
  await rateOf(open, list, 1);
  const counts = open.counts?.() ?? { writes: 0, syncs: 0 };
  await open.close();
  return { bytes: open.size() - empty, ...counts };
}

/** Frames a second, over `repeat` responses of these frames; every append is handed over before the last is replied. */
async function rateOf(open: OpenStore, list: readonly AssistantMessageFrame[], repeat: number): Promise<number> {
  const began = performance.now();
  for (let response = 0; response < repeat; response++) await appendResponse(open, `response-${response}`, list);
  return (list.length * repeat * 1_000) / (performance.now() - began);
}

/** As a stream does: nothing waits for an append but the end, for the last (C1, C5). */
async function appendResponse(open: OpenStore, response: string, list: readonly AssistantMessageFrame[]) {
  let failure: { readonly reason: unknown } | undefined;
  const observe = (reason: unknown) => {
    failure ??= { reason };
  };
  let last: Promise<unknown> | undefined;
  for (const [index, frame] of list.entries()) {
    if (index > 0 && index % framesPerTurn === 0) await turn();
    last = open.append(response, frame);
    last.catch(observe);
  }
  await last;
  if (failure !== undefined) throw failure.reason;
}

/** Gives `use` an empty session, which is gone afterwards. */
async function inStore<T>(store: AppendStore, { folder }: BenchContext, use: (open: OpenStore) => Promise<T>) {
  const own = mkdtempSync(join(folder, "append-"));
  const open = await store.open(own);
  try {
    return await use(open);
  } finally {
    await open.close();
    rmSync(own, { recursive: true });
  }
}

const framesOf = (count: number): AssistantMessageFrame[] =>
  Array.from({ length: count }, (_, index) => frameAt(textRequest, index + 1));
