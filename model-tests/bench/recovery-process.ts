/** A process of its own for one recovery, so that its memory is its own. */
import { fileStoreNamed } from "../../src/index.ts";
import { openPiFileSession, type PiSystem, piSystem, resumePi } from "./pi-system.ts";
import type { RecoveryAnswer, RecoveryTask } from "./recovery-task.ts";
import { type HarnessRun, resumeReference } from "./reference-system.ts";

const kilobyte = 1_024;
const megabyte = 1e6;

const task = JSON.parse(process.argv[2] ?? "") as RecoveryTask;
process.stdout.write(JSON.stringify(await recover(task)));

async function recover(task: RecoveryTask): Promise<RecoveryAnswer> {
  const resume = await prepare(task);
  const began = performance.now();
  const run = await resume();
  const status = await run.drive();
  const recoveryMs = performance.now() - began;
  await run.close();
  // The interruption took the only attempt.
  if (status !== "failed") throw new Error(`The recovered operation ended as ${status}`);
  return { recoveryMs, peakMb: (process.resourceUsage().maxRSS * kilobyte) / megabyte };
}

/** Loads all code that is needed, before anything is measured. */
async function prepare(task: RecoveryTask): Promise<() => Promise<HarnessRun>> {
  if (task.store === "pi jsonl") {
    const system = required(await piSystem());
    return async () => resumePi(system, await openPiFileSession(system, task.metadata, task.path));
  }
  const { open, requires } = fileStoreNamed(task.store);
  if (requires !== undefined) await import(requires);
  return async () => resumeReference(await open(task.path, { durability: "process", now: Date.now }));
}

function required(system: PiSystem | undefined): PiSystem {
  if (system === undefined) throw new Error("pi-agent-core is not installed");
  return system;
}
