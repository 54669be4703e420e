/** One process that is going to be killed, as its parent sees it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Write } from "../../src/index.ts";
import { bounded } from "../world/bounded.ts";
import { Loss } from "./loss.ts";
import { type ChildJob, Lines, toLine, toldIn } from "./protocol.ts";
import { hugeDeltaLength } from "./scripted-provider.ts";

/** One transaction that the child has handed to its store. */
export interface Offered {
  readonly writes: readonly Write[];
  /** The numbers of its writes, when the child was told that it is durable. */
  seqs?: readonly number[];
}

/**
 * When a process is to be killed: after it has told of so many transactions, as offered or as acknowledged, or when its
 * store is about to write something huge, which a kill may cut in two.
 */
export type Moment = number | "huge";

export interface Death {
  readonly offered: readonly Offered[];
  /** Why the process ended, when it did so by itself. */
  readonly byItself: string | undefined;
}

const fromSources = import.meta.url.endsWith(".ts");
const script = fileURLToPath(new URL(fromSources ? "./child.ts" : "./child.js", import.meta.url));

/** A process does not inherit the TypeScript loader of its parent. */
const loader = fromSources ? ["--import", pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href] : [];

const keptOfStderr = 4_000;

export class CrashChild {
  readonly #process: ChildProcess;
  readonly #closed: Promise<unknown>;
  readonly #lines = new Lines();
  /** Read when the process is dead: while it lives, its parent must not fall behind. */
  readonly #told: string[] = [];
  #stderr = "";
  #onTold: () => void = () => {};

  /** Starts a process that loads its modules and waits for its job. */
  constructor() {
    const child = spawn(process.execPath, [...loader, script], { stdio: "pipe" });
    this.#process = child;
    this.#closed = once(child, "close");
    // Whoever waits for the end hears of it.
    this.#closed.catch(() => {});
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      this.#told.push(...this.#lines.push(text));
      this.#onTold();
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-keptOfStderr);
    });
    // A job that finds the process dead is answered by its end.
    child.stdin.on("error", () => {});
  }

  /**
   * Gives the process its job and waits until it is the moment to kill it, or it has ended by itself.
   *
   * @throws {Loss} when neither comes.
   */
  async work(job: ChildJob, moment: Moment): Promise<void> {
    this.#process.stdin?.write(toLine(job));
    const reached = new Promise<void>((resolve) => {
      this.#onTold = () => {
        if (moment === "huge" ? this.#hugeIsUnderWay : this.#told.length >= moment) resolve();
      };
      this.#onTold();
    });
    const moved = bounded("the process", Promise.race([reached, this.#closed]));
    await moved.catch(({ message }: Error) => {
      throw new Loss(message);
    });
  }

  /** Kills the process, and waits for its end and for all that it has said. */
  async kill(): Promise<Death> {
    this.#process.kill("SIGKILL");
    await this.#closed;
    const { exitCode, signalCode } = this.#process;
    const byItself = signalCode === "SIGKILL" ? undefined : this.#stderr.trim() || `exit code ${exitCode}`;
    return { offered: offeredIn(this.#told), byItself };
  }

  get #hugeIsUnderWay(): boolean {
    return (this.#told.at(-1)?.length ?? 0) > hugeDeltaLength;
  }
}

function offeredIn(lines: readonly string[]): Offered[] {
  const offered: Offered[] = [];
  for (const told of lines.map(toldIn)) {
    if ("offered" in told) offered.push({ writes: told.offered });
    else {
      const transaction = offered[told.acknowledged];
      if (transaction === undefined) throw new Error(`Transaction ${told.acknowledged} was never offered`);
      transaction.seqs = told.seqs;
    }
  }
  return offered;
}
