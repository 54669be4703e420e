/**
 * The process that is killed. It waits for its job, then runs one operation after the other on the session until it dies,
 * and tells its parent of every transaction before the store hears of it and when the store has acknowledged it.
 */
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import {
  type Clock,
  DurabilityError,
  type FileStorage,
  type FileStore,
  fileStoreNamed,
  type Lane,
  type Storage,
  type Write,
  wrapStorage,
} from "../../src/index.ts";
import { Random } from "../random.ts";
import { harnessOver, JumpingClock } from "./harness.ts";
import { type ChildJob, jobOf, startOf, type Told, toLine } from "./protocol.ts";
import { ScriptedProvider } from "./scripted-provider.ts";

const stdout = 1;

/** Small, so that a session compacts by itself many times before it dies. */
const compactAfter = 2_000;

/** Said at once: what a pipe holds outlives this process. */
function tell(told: Told): void {
  let rest = Buffer.from(toLine(told));
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(stdout, rest));
    } catch (error) {
      // The pipe is full until the parent has read on.
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
    }
  }
}

for await (const line of createInterface({ input: process.stdin })) void work(jobOf(line));
// The parent is gone.
process.exit();

async function work(job: ChildJob): Promise<void> {
  const clock = new JumpingClock(startOf(job.child));
  const open = await openerOf(job);
  const store = await open(job.path, { durability: job.durability, now: () => clock.now(), compactAfter });
  const random = new Random(job.seed, job.child);
  const lane = await openLane(store, clock, random, job.huge);
  for (;;) await runOperation(lane, random);
}

async function openerOf({ store, storeModule }: ChildJob): Promise<FileStore["open"]> {
  if (storeModule === undefined) return fileStoreNamed(store).open;
  const { openStore } = (await import(storeModule)) as { openStore: FileStore["open"] };
  return openStore;
}

async function openLane(store: FileStorage, clock: Clock, random: Random, huge: boolean): Promise<Lane> {
  const models = new ScriptedProvider(random, huge, () => {
    if (random.chance(0.2)) void store.compact?.();
    if (random.chance(0.1)) void cancel(lane);
  });
  const harness = await harnessOver(told(store), clock, models, {
    runTool: ({ name }) => ({ content: [{ type: "text", text: name }] }),
  });
  const lane = await harness.lane("main");
  return lane;
}

async function runOperation(lane: Lane, random: Random): Promise<void> {
  const { operation } = await lane.snapshot();
  if (operation === null) await lane.accept({ prompt: `prompt ${random.below(1_000_000)}` });
  await lane.activate();
}

/** The operation may have ended before. */
async function cancel(lane: Lane): Promise<void> {
  try {
    await lane.cancel();
  } catch (error) {
    if (!(error instanceof DurabilityError) || error.code !== "no_open_operation") throw error;
  }
}

function told(store: FileStorage): Storage {
  let offered = 0;
  const commit = async (writes: Write[]) => {
    const transaction = offered++;
    tell({ offered: writes });
    const result = await store.commit(writes);
    tell({ acknowledged: transaction, seqs: result.seqs });
    return result;
  };
  return wrapStorage(store, { commit });
}
