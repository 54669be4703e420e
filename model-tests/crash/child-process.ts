/** One process that is going to be killed, as its parent sees it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Write } from "../../src/index.ts";
import { bounded } from "../world/bounded.ts";
import { type ChildJob, type Heard, Lines, toLine } from "./protocol.ts";
import { hugeDeltaLength } from "./scripted-provider.ts";

/** One transaction that the child has handed to its store. */
export interface Offered {
  readonly writes: readonly Write[];
  readonly huge: boolean;
  /** The numbers of its writes, when the child was told that it is durable. */
  seqs?: readonly number[];
}

/**
 * When a process is to be killed: after it has told of so many transactions, as offered or as acknowledged, or when its
 * store is about to write something huge, which a kill may cut in two.
 */
export type Moment = number | "huge";

const fromSources = import.meta.url.endsWith(".ts");
const script = fileURLToPath(new URL(fromSources ? "./child.ts" : "./child.js", import.meta.url));

/** A process does not inherit the TypeScript loader of its parent. */
const loader = fromSources ? ["--import", pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href] : [];

const keptOfStderr = 4_000;

export class CrashChild {
  readonly offered: Offered[] = [];
  readonly #process: ChildProcess;
  readonly #closed: Promise<unknown>;
  readonly #lines = new Lines();
  #told = 0;
  #stderr = "";
  #onTold: () => void = () => {};

  /** Starts a process that loads its modules and waits for its job. */
  constructor() {
    const child = spawn(process.execPath, [...loader, script], { stdio: "pipe" });
    this.#process = child;
    this.#closed = once(child, "close");
    // Whoever waits for the end hears of it.
    this.#closed.catch(() => {});
    child.stdout.setEncoding("utf8").on("data", (text: string) => this.#hear(this.#lines.push(text)));
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-keptOfStderr);
    });
    // A job that finds the process dead is answered by its end.
    child.stdin.on("error", () => {});
  }

  /** Gives the process its job and waits until it is the moment to kill it, or it has ended by itself. */
  async work(job: ChildJob, moment: Moment): Promise<void> {
    this.#process.stdin?.write(toLine(job));
    const reached = new Promise<void>((resolve) => {
      this.#onTold = () => {
        if (moment === "huge" ? this.#hugeIsUnderWay : this.#told >= moment) resolve();
      };
      this.#onTold();
    });
    await bounded("the child", Promise.race([reached, this.#closed]));
  }

  /**
   * Kills the process, and waits for its end and for all that it has said.
   *
   * @returns why it ended, when it did so by itself.
   */
  async kill(): Promise<string | undefined> {
    const { exitCode } = this.#process;
    this.#process.kill("SIGKILL");
    await this.#closed;
    if (this.#process.signalCode === "SIGKILL") return undefined;
    return this.#stderr.trim() || `exit code ${exitCode ?? this.#process.exitCode}`;
  }

  get #hugeIsUnderWay(): boolean {
    const newest = this.offered.at(-1);
    return newest !== undefined && newest.seqs === undefined && newest.huge;
  }

  #hear(said: readonly Heard[]): void {
    for (const { told, length } of said) {
      if ("offered" in told) this.offered.push({ writes: told.offered, huge: length > hugeDeltaLength });
      else {
        const offered = this.offered[told.acknowledged];
        if (offered === undefined)
          throw new Error(`Transaction ${told.acknowledged} was acknowledged and never offered`);
        offered.seqs = told.seqs;
      }
      this.#told++;
    }
    this.#onTold();
  }
}
