/** How long it takes to recover an interrupted response, and how much memory. */
import { execFile } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { FileStoreName } from "../../src/index.ts";
import { type Measurement, measured, type System } from "./measurement.ts";
import type { BenchContext } from "./options.ts";
import { orphan, piOrphan } from "./orphans.ts";
import type { PiSystem } from "./pi-system.ts";
import type { RecoveryAnswer, RecoveryTask } from "./recovery-task.ts";
import { sample } from "./sample.ts";

const recoveryTime = "recovery time";
const recoveryMemory = "peak memory of a recovering process";

/** Above this, pi's recovery is not measured: a million frames take it more than a minute, once. */
export const greatestPiRecovery = 100_000;

interface Recovered {
  readonly subject: string;
  readonly system: System;
  readonly greatest: number;
  /** Leaves a session behind at `path`, and says how to take it up at another. */
  leave(folder: string, path: string, frames: number): Promise<(path: string) => RecoveryTask>;
}

export async function measureRecovery(context: BenchContext): Promise<Measurement[]> {
  const found: Measurement[] = [];
  for (const recovered of subjects(context)) {
    for (const frames of context.sizes.recoveryFrames.filter((count) => count <= recovered.greatest)) {
      context.progress(`recovery on ${recovered.subject}: ${frames} frames`);
      found.push(...(await measureOne(recovered, frames, context)));
    }
  }
  return found;
}

async function measureOne(recovered: Recovered, frames: number, context: BenchContext): Promise<Measurement[]> {
  const folder = mkdtempSync(join(context.folder, "recovery-"));
  const left = join(folder, "left");
  const taskAt = await recovered.leave(folder, left, frames);
  const copy = join(folder, "copy");
  const answers = await sample(context, async () => {
    copyFileSync(left, copy);
    return recoverInProcess(taskAt(copy));
  });
  rmSync(folder, { recursive: true });
  const { subject, system } = recovered;
  const peer = system === "pi-agent-core" ? {} : { peer: piSubject };
  const found = { subject, system, at: `${frames} frames`, ...peer };
  return [
    measured({ ...found, quantity: recoveryTime, unit: "ms", samples: answers.map(({ recoveryMs }) => recoveryMs) }),
    measured({ ...found, quantity: recoveryMemory, unit: "MB", samples: answers.map(({ peakMb }) => peakMb) }),
  ];
}

const piSubject = "pi jsonl";

function subjects({ installed: { pi, stores } }: BenchContext): Recovered[] {
  return [...stores.map(own), ...(pi === undefined ? [] : [ofPi(pi)])];
}

const own = (store: FileStoreName): Recovered => ({
  subject: store,
  system: "assistant-durability",
  greatest: Number.POSITIVE_INFINITY,
  leave: async (_folder, left, frames) => {
    await orphan(store, left, frames);
    return (path) => ({ store, path });
  },
});

const ofPi = (system: PiSystem): Recovered => ({
  subject: piSubject,
  system: "pi-agent-core",
  greatest: greatestPiRecovery,
  leave: async (folder, left, frames) => {
    const metadata = await piOrphan(system, folder, left, frames);
    return (path) => ({ store: piSubject, metadata, path });
  },
});

const run = promisify(execFile);

async function recoverInProcess(task: RecoveryTask): Promise<RecoveryAnswer> {
  const fromSources = import.meta.url.endsWith(".ts");
  const module = new URL(fromSources ? "./recovery-process.ts" : "./recovery-process.js", import.meta.url);
  // Not every Node version that this runs on takes TypeScript.
  const loader = fromSources ? ["--import", pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href] : [];
  const { stdout } = await run(process.execPath, [...loader, fileURLToPath(module), JSON.stringify(task)]);
  return JSON.parse(stdout) as RecoveryAnswer;
}
