/** Drives schedules in this thread or in several; the sum does not depend on which. */
import { Worker } from "node:worker_threads";
import type { Bounds } from "../../machines/index.ts";
import { type ContentName, contentNames } from "../contents/catalogue.ts";
import type { Subject } from "../drive/run.ts";
import { UsageError } from "../errors.ts";
import type { Graph, GraphEdge } from "../explore/graph.ts";
import { type Counts, exploreIndependently } from "../explore/independent.ts";
import { mergePrefixes } from "../generate/merge.ts";
import type { InsidePurpose, RacePurpose, Schedule } from "../generate/schedule.ts";
import { driveBatch } from "./batch.ts";
import { checkDeterminism, type Determinism } from "./determinism.ts";
import type { SubjectName } from "./subject.ts";
import { addTally, type Path, type Tally, tallyFor } from "./tally.ts";

export interface Executor {
  /** The second, independent exploration; in another thread when there is one. */
  exploreIndependently(bounds: Bounds): Promise<Counts>;
  /** Name the graph that later schedules walk. */
  use(graph: Graph): void;
  drive(batches: readonly Batch[], options: DriveOptions): Promise<Tally>;
  /** Drives a sample twice; in a thread that has driven before, when there is one. */
  checkDeterminism(sample: readonly Schedule[]): Promise<Determinism>;
  close(): Promise<void>;
}

export interface DriveOptions {
  /** Whether another batch is to be driven, after what these drives have shown so far. */
  readonly mayContinue: (shown: Tally) => boolean;
  readonly onDriven: (schedules: number) => void;
}

/** Schedules that one thread drives one after the other. */
export type Batch = readonly Schedule[];

/** Batches of the schedules that no other one continues. Each schedule has the next of these contents. */
export function batchesOf(
  schedules: readonly Schedule[],
  size: number,
  contents: readonly ContentName[] = contentNames,
): Batch[] {
  return cutUp(mergePrefixes(schedules), size, contents);
}

/** Batches of schedules of which none continues another. */
export function cutUp(schedules: readonly Schedule[], size: number, contents: readonly ContentName[]): Batch[] {
  const places = contents.map((name) => contentNames.indexOf(name));
  const filled = schedules.map((schedule, at) => ({ content: places[at % places.length] as number, ...schedule }));
  const batches: Batch[] = [];
  for (let at = 0; at < filled.length; at += size) batches.push(filled.slice(at, at + size));
  return batches;
}

export function inThisThread(subject: Subject): Executor {
  let graph: Graph;
  return {
    exploreIndependently: (bounds) => Promise.resolve(exploreIndependently(bounds)),
    use: (explored) => {
      graph = explored;
    },
    drive: async (batches, { mayContinue, onDriven }) => {
      const total = tallyFor(graph);
      for (const batch of batches) {
        if (!mayContinue(total)) break;
        addTally(total, await driveBatch(subject, graph, batch));
        onDriven(batch.length);
      }
      return total;
    },
    checkDeterminism: (sample) => checkDeterminism(subject, graph, sample),
    close: () => Promise.resolve(),
  };
}

export interface WireSchedule {
  readonly path: Path;
  readonly races: readonly RacePurpose[] | undefined;
  readonly inside: InsidePurpose | undefined;
  readonly content: number | undefined;
  readonly isTest: true | undefined;
}

export interface DriveTask {
  readonly kind: "drive" | "drive twice";
  readonly schedules: readonly WireSchedule[];
}

/** What a worker is asked; it answers in the same order. */
export type WorkerTask =
  | { readonly kind: "explore"; readonly bounds: Bounds }
  | { readonly kind: "use"; readonly graph: Graph }
  | DriveTask;

export type WorkerAnswer =
  | { readonly counts: Counts }
  | { readonly tally: Tally }
  | { readonly determinism: Determinism }
  | { readonly usageError: string }
  | { readonly error: Error };

const toWire = ({ edges, races, inside, content, isTest }: Schedule): WireSchedule => ({
  path: edges.map(({ index }) => index),
  races,
  inside,
  content,
  isTest,
});
export const fromWire = (graph: Graph, { path, races, inside, content, isTest }: WireSchedule): Schedule => ({
  edges: path.map((index) => graph.edges[index] as GraphEdge),
  ...(races === undefined ? {} : { races }),
  ...(inside === undefined ? {} : { inside }),
  ...(content === undefined ? {} : { content }),
  ...(isTest === undefined ? {} : { isTest }),
});

export function inWorkers(count: number, subject: SubjectName): Executor {
  const workers = Array.from({ length: count }, () => newWorker(subject));
  const explorer = workers.at(-1) as Worker;
  let exploring: Promise<unknown> = Promise.resolve();
  let graph: Graph;
  return {
    exploreIndependently: (bounds) => {
      const counts = ask(explorer, { kind: "explore", bounds }).then((answer) => {
        if (!("counts" in answer)) throw new Error("A worker answered an exploration with something else");
        return answer.counts;
      });
      exploring = counts;
      return counts;
    },
    use: (explored) => {
      graph = explored;
      for (const worker of workers) worker.postMessage({ kind: "use", graph } satisfies WorkerTask);
    },
    drive: async (batches, { mayContinue, onDriven }) => {
      const total = tallyFor(graph);
      const queue = batches.values();
      const work = async (worker: Worker): Promise<void> => {
        // One question at a time: answers carry no name.
        if (worker === explorer) await exploring;
        for (let next = queue.next(); !next.done && mayContinue(total); next = queue.next()) {
          const answer = await ask(worker, { kind: "drive", schedules: next.value.map(toWire) });
          if (!("tally" in answer)) throw new Error("A worker answered schedules with something else");
          addTally(total, answer.tally);
          onDriven(next.value.length);
        }
      };
      await Promise.all(workers.map(work));
      return total;
    },
    checkDeterminism: async (sample) => {
      const answer = await ask(explorer, { kind: "drive twice", schedules: sample.map(toWire) });
      if (!("determinism" in answer)) throw new Error("A worker answered a sample with something else");
      return answer.determinism;
    },
    close: async () => {
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}

function newWorker(workerData: SubjectName): Worker {
  // A run makes much short-lived garbage: with more room it is collected less often.
  const resourceLimits = { maxYoungGenerationSizeMb: 128 };
  if (!import.meta.url.endsWith(".ts")) {
    return new Worker(new URL("./worker.js", import.meta.url), { workerData, resourceLimits });
  }
  // From the sources: a thread does not inherit the TypeScript loader of its parent.
  const loader = import.meta.resolve("tsx/esm/api");
  const module = new URL("./worker.ts", import.meta.url).href;
  const start = `import(${JSON.stringify(loader)}).then(({ register }) => { register(); return import(${JSON.stringify(module)}); });`;
  return new Worker(start, { eval: true, workerData, resourceLimits });
}

function ask(worker: Worker, task: WorkerTask): Promise<WorkerAnswer> {
  return new Promise((resolve, reject) => {
    const done = (settle: () => void): void => {
      worker.off("message", onMessage);
      worker.off("error", onError);
      settle();
    };
    const onMessage = (answer: WorkerAnswer): void =>
      done(() => {
        if ("usageError" in answer) reject(new UsageError(answer.usageError));
        else if ("error" in answer) reject(answer.error);
        else resolve(answer);
      });
    const onError = (error: Error): void => done(() => reject(error));
    worker.on("message", onMessage);
    worker.on("error", onError);
    worker.postMessage(task);
  });
}
