/** Runs what stands in `examples/` as a reader would. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, expect, test } from "vitest";
import { answer } from "../../examples/chat/provider.ts";
import { packageRoot } from "../package-root.ts";
import { temporaryFolder } from "../testing/cli.ts";

const running = new Set<ChildProcess>();
afterEach(() => {
  for (const child of running) child.kill("SIGKILL");
});

/** The chat of the example as a process, with one prompt typed. */
class Chat {
  readonly lines: string[] = [];
  readonly #child: ChildProcess;
  readonly #output: AsyncIterableIterator<string>;

  constructor(file: string, prompt: string, words = "Infinity") {
    const args = ["--import", "tsx", "examples/chat/chat.ts", file, "1", words];
    this.#child = spawn(process.execPath, args, { cwd: packageRoot(), stdio: ["pipe", "pipe", "inherit"] });
    running.add(this.#child);
    if (this.#child.stdout === null) throw new Error("The chat has no output");
    this.#output = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
    this.#child.stdin?.end(prompt);
  }

  /** Reads until so many lines have this beginning. */
  async waitFor(beginning: string, times: number): Promise<void> {
    for await (const line of this.#output) {
      this.lines.push(line);
      if (this.lines.filter((known) => known.startsWith(beginning)).length === times) return;
    }
    throw new Error(`The chat ended without "${beginning}" ${times} times:\n${this.lines.join("\n")}`);
  }

  /** Reads all that is left, and tells how the process ended. */
  async end(): Promise<number | null> {
    const [closed] = await Promise.all([once(this.#child, "close"), this.#readRest()]);
    return closed[0] as number | null;
  }

  /** `kill -9`. */
  async kill(): Promise<void> {
    const closed = once(this.#child, "close");
    this.#child.kill("SIGKILL");
    expect((await closed)[1]).toBe("SIGKILL");
  }

  async #readRest(): Promise<void> {
    for await (const line of this.#output) this.lines.push(line);
  }
}

const after = (lines: readonly string[], beginning: string): readonly string[] =>
  lines.filter((line) => line.startsWith(beginning)).map((line) => line.slice(beginning.length));

test("[E3] [E7] the chat that was killed in the middle of an answer shows the partial and answers again", async () => {
  const file = join(temporaryFolder(), "chat.jsonl");
  const killed = new Chat(file, "hello\n", "4");
  await killed.waitFor("  (durable: frame ", 6);
  await killed.kill();

  const again = new Chat(file, "");
  expect(await again.end()).toBe(0);
  const [interrupted] = after(again.lines, "interrupted after: ");

  // Six frames: the start, the start of the text and four words.
  expect(interrupted).toBe("Frames are written while ");
  expect(after(again.lines, "you: ")).toEqual(["hello"]);
  expect(after(again.lines, "partial: ")).toEqual([interrupted]);
  expect(after(again.lines, "answer: ")).toEqual([answer]);

  const later = new Chat(file, "");
  await later.end();
  expect(later.lines.map((line) => line.split(":")[0])).toEqual(["you", "partial", "answer", "Type a line."]);
});
