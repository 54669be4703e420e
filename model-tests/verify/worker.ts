/** One thread of a verification: explores, or drives the batches it is given, and answers with what it has found. */
import { parentPort, workerData } from "node:worker_threads";
import { AdapterError, UsageError } from "../errors.ts";
import type { Graph } from "../explore/graph.ts";
import { exploreIndependently } from "../explore/independent.ts";
import { driveBatch } from "./batch.ts";
import { checkDeterminism } from "./determinism.ts";
import { type DriveTask, fromWire, type WorkerAnswer, type WorkerTask } from "./executor.ts";
import { loadSubject, type SubjectName } from "./subject.ts";

const port = parentPort;
if (port === null) throw new Error("This module runs in a worker thread only");

const subject = loadSubject(workerData as SubjectName);
// Whoever drives first meets the error; until then nobody awaits it.
subject.catch(() => {});
let graph: Graph | undefined;

port.on("message", (task: WorkerTask) => {
  if (task.kind === "use") graph = task.graph;
  else if (task.kind === "explore")
    port.postMessage({ counts: exploreIndependently(task.bounds) } satisfies WorkerAnswer);
  else void drive(task).then((answer) => port.postMessage(answer));
});

async function drive({ kind, schedules: wired }: DriveTask): Promise<WorkerAnswer> {
  try {
    if (graph === undefined) throw new Error("No graph was named before the first schedules");
    const walked = graph;
    const schedules = wired.map((schedule) => fromWire(walked, schedule));
    return kind === "drive"
      ? { tally: await driveBatch(await subject, walked, schedules) }
      : { determinism: await checkDeterminism(await subject, walked, schedules) };
  } catch (error) {
    if (error instanceof UsageError || error instanceof AdapterError) return { usageError: error.message };
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }
}
