/** Starts processes that have an SQLite session open, and hears what they tell. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const script = fileURLToPath(new URL("./child.ts", import.meta.url));

/** A process that runs `child.ts`, and the lines that it tells. */
export interface Child {
  readonly child: ChildProcess;
  readonly lines: AsyncIterator<string>;
}

/** How a process is started. */
export interface StartOptions {
  /** The command that starts it in turn. */
  readonly through?: readonly string[];
  /** Options of Node. */
  readonly node?: readonly string[];
}

/** The processes of one test. */
export class Children {
  readonly #children: ChildProcess[] = [];

  start(args: readonly string[], { through = [], node = [] }: StartOptions = {}): Child {
    const [file = "", ...rest] = [...through, process.execPath, ...node, "--import", "tsx", script, ...args];
    const child = spawn(file, rest, { cwd: dirname(script), stdio: ["pipe", "pipe", "inherit"] });
    this.#children.push(child);
    return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
  }

  async end(): Promise<void> {
    for (const child of this.#children.splice(0)) await kill(child);
  }
}

/** Ends a process as a crash does. */
export async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

/** What the process tells next. */
export async function nextLine(lines: AsyncIterator<string>): Promise<string> {
  const { value, done } = await lines.next();
  if (done === true) throw new Error("The child ended early");
  return value;
}

/** All that the process tells until it ends. */
export async function restOf(lines: AsyncIterator<string>): Promise<string[]> {
  const all: string[] = [];
  for (let line = await lines.next(); line.done !== true; line = await lines.next()) all.push(line.value);
  return all;
}
