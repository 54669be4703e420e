/** Drives schedules in this thread or in several; the sum does not depend on which. */
import { Worker } from "node:worker_threads";
import type { Subject } from "../drive/run.ts";
import type { Graph, GraphEdge } from "../explore/graph.ts";
import type { RacePurpose, Schedule } from "../generate/schedule.ts";
import { UsageError } from "../usage-error.ts";
import { driveBatch } from "./batch.ts";
import type { SubjectName } from "./subject.ts";
import { addTally, newTally, type Path, type Tally } from "./tally.ts";

export interface Executor {
  drive(schedules: readonly Schedule[], options: DriveOptions): Promise<Tally>;
  close(): Promise<void>;
}

export interface DriveOptions {
  /** Whether there is time for another batch. */
  readonly mayContinue: () => boolean;
  readonly onDriven: (schedules: number) => void;
}

const batchSize = 100;

function* batches(schedules: readonly Schedule[]): Generator<readonly Schedule[]> {
  for (let at = 0; at < schedules.length; at += batchSize) yield schedules.slice(at, at + batchSize);
}

export function inThisThread(subject: Subject, graph: Graph): Executor {
  return {
    drive: async (schedules, { mayContinue, onDriven }) => {
      const total = newTally(graph.edges.length);
      for (const batch of batches(schedules)) {
        if (!mayContinue()) break;
        addTally(total, await driveBatch(subject, graph, batch));
        onDriven(batch.length);
      }
      return total;
    },
    close: () => Promise.resolve(),
  };
}

export interface WorkerData {
  readonly subject: SubjectName;
  readonly graph: Graph;
}

export interface WireSchedule {
  readonly path: Path;
  readonly race: RacePurpose | undefined;
}

export type WorkerAnswer = { readonly tally: Tally } | { readonly usageError: string } | { readonly error: Error };

export const toWire = ({ edges, race }: Schedule): WireSchedule => ({ path: edges.map(({ index }) => index), race });
export const fromWire = (graph: Graph, { path, race }: WireSchedule): Schedule => ({
  edges: path.map((index) => graph.edges[index] as GraphEdge),
  ...(race === undefined ? {} : { race }),
});

export function inWorkers(count: number, subject: SubjectName, graph: Graph): Executor {
  const data: WorkerData = { subject, graph };
  const workers = Array.from({ length: count }, () => newWorker(data));
  return {
    drive: async (schedules, { mayContinue, onDriven }) => {
      const total = newTally(graph.edges.length);
      const queue = batches(schedules);
      const work = async (worker: Worker): Promise<void> => {
        for (let next = queue.next(); !next.done && mayContinue(); next = queue.next()) {
          addTally(total, await ask(worker, next.value.map(toWire)));
          onDriven(next.value.length);
        }
      };
      await Promise.all(workers.map(work));
      return total;
    },
    close: async () => {
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}

function newWorker(workerData: WorkerData): Worker {
  if (!import.meta.url.endsWith(".ts")) return new Worker(new URL("./worker.js", import.meta.url), { workerData });
  // From the sources: a thread does not inherit the TypeScript loader of its parent.
  const loader = import.meta.resolve("tsx/esm/api");
  const module = new URL("./worker.ts", import.meta.url).href;
  const start = `import(${JSON.stringify(loader)}).then(({ register }) => { register(); return import(${JSON.stringify(module)}); });`;
  return new Worker(start, { eval: true, workerData });
}

function ask(worker: Worker, schedules: readonly WireSchedule[]): Promise<Tally> {
  return new Promise((resolve, reject) => {
    const done = (settle: () => void): void => {
      worker.off("message", onMessage);
      worker.off("error", onError);
      settle();
    };
    const onMessage = (answer: WorkerAnswer): void =>
      done(() => {
        if ("tally" in answer) resolve(answer.tally);
        else reject("usageError" in answer ? new UsageError(answer.usageError) : answer.error);
      });
    const onError = (error: Error): void => done(() => reject(error));
    worker.on("message", onMessage);
    worker.on("error", onError);
    worker.postMessage(schedules);
  });
}
