/** Tries mutants in processes of their own, each within limits of time and memory. */
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { TrialTask } from "./child.ts";
import type { Mutant } from "./mutant.ts";
import type { TrialResult } from "./verdict.ts";
import { removeWorkspace } from "./workspace.ts";

export interface CampaignOptions {
  /** Processes side by side. */
  readonly jobs: number;
  /** How long one trial may take. */
  readonly timeoutMs: number;
  /** How long one verification may drive before it is given up as undecided. */
  readonly budgetMs?: number | undefined;
}

/** How much one process may have of the heap, in MiB. A verification needs a quarter of it. */
const heapMb = 1_536;

/** @param onTried told of each mutant as soon as its verdict is there; the order depends on the number of jobs. */
export async function tryMutants(
  mutants: readonly Mutant[],
  { jobs, timeoutMs, budgetMs }: CampaignOptions,
  onTried: (mutant: Mutant, result: TrialResult, durationMs: number) => void,
): Promise<void> {
  const queue = mutants.values();
  const work = async (): Promise<void> => {
    let child: ChildProcess | undefined;
    for (let next = queue.next(); !next.done; next = queue.next()) {
      child ??= startChild();
      const startedMs = performance.now();
      const result = await ask(
        child,
        { name: next.value.name, ...(budgetMs !== undefined && { budgetMs }) },
        timeoutMs,
      );
      onTried(next.value, result, performance.now() - startedMs);
      if (!child.connected) child = undefined;
    }
    child?.kill("SIGKILL");
  };
  await Promise.all(Array.from({ length: jobs }, work));
}

function startChild(): ChildProcess {
  const fromSources = import.meta.url.endsWith(".ts");
  const script = fileURLToPath(new URL(fromSources ? "./child.ts" : "./child.js", import.meta.url));
  const loader = fromSources ? ["--import", import.meta.resolve("tsx")] : [];
  return fork(script, [], {
    execArgv: [...loader, `--max-old-space-size=${heapMb}`],
    // A group of its own: with it end the processes that a trial has started.
    detached: true,
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
}

/** Asks for one trial. A child that did not answer is gone afterwards. */
function ask(child: ChildProcess, task: TrialTask, timeoutMs: number): Promise<TrialResult> {
  return new Promise((resolve) => {
    let said = "";
    const listen = (text: Buffer): void => {
      said = `${said}${text.toString()}`.slice(-4_000);
    };
    const done = (result: TrialResult): void => {
      clearTimeout(timer);
      child.off("message", done).off("close", onClose);
      child.stderr?.off("data", listen);
      resolve(result);
    };
    let isLate = false;
    const onClose = (): void => {
      removeWorkspace(child.pid, task.name);
      done(isLate ? { verdict: "timed out" } : verdictOnDeath(said));
    };
    const timer = setTimeout(() => {
      isLate = true;
      killGroup(child);
    }, timeoutMs);
    child.stderr?.on("data", listen);
    child.on("message", done).on("close", onClose);
    child.send(task);
  });
}

function killGroup({ pid }: ChildProcess): void {
  if (pid !== undefined) process.kill(-pid, "SIGKILL");
}

function verdictOnDeath(said: string): TrialResult {
  if (said.includes("heap out of memory")) return { verdict: "out of memory" };
  return { verdict: "caught", by: `the process ended: ${firstError(said)}` };
}

const firstError = (text: string): string =>
  text.split("\n").find((line) => /^\w*(Error|Exception)\b/.test(line.trim())) ?? "without a word";
