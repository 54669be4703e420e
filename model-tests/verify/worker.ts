/** One thread of a verification: drives the batches it is given and answers with what they have shown. */
import { parentPort, workerData } from "node:worker_threads";
import { AdapterError } from "../drive/run.ts";
import { UsageError } from "../usage-error.ts";
import { driveBatch } from "./batch.ts";
import { fromWire, type WireSchedule, type WorkerAnswer, type WorkerData } from "./executor.ts";
import { loadSubject } from "./subject.ts";

const { subject: name, graph } = workerData as WorkerData;
const subject = loadSubject(name);
const port = parentPort;
if (port === null) throw new Error("This module runs in a worker thread only");

port.on("message", (schedules: readonly WireSchedule[]) => {
  void answer(schedules).then((message) => port.postMessage(message));
});

async function answer(schedules: readonly WireSchedule[]): Promise<WorkerAnswer> {
  try {
    return {
      tally: await driveBatch(
        await subject,
        graph,
        schedules.map((schedule) => fromWire(graph, schedule)),
      ),
    };
  } catch (error) {
    if (error instanceof UsageError || error instanceof AdapterError) return { usageError: error.message };
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }
}
