/** Runs what stands in `examples/` as a reader would. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, expect, test } from "vitest";
import { parse } from "yaml";
import { answer } from "../../examples/chat/provider.ts";
import { packageRoot } from "../package-root.ts";
import { type Answer, cli, temporaryFolder } from "../testing/cli.ts";
import type { Report } from "../verify/report.ts";

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
  expect(later.lines.map((line) => line.split(":")[0])).toEqual([
    "To kill this process",
    "you",
    "partial",
    "answer",
    "Type a line.",
  ]);
});

const smallHarness = join(packageRoot(), "examples/adapter/adapter.ts");

/** Verifies the small harness on the row that it breaks. */
async function verifySmallHarness(...flags: readonly string[]): Promise<{ answer: Answer; report: Report }> {
  const out = temporaryFolder();
  const args = ["verify", "--sut", smallHarness, "--race", "R8", "--bounds", "small", "--out", out, ...flags];
  const answer = await cli(...args);
  return { answer, report: JSON.parse(readFileSync(join(out, "report.json"), "utf8")) as Report };
}

test("[E3] the checker finds that the small harness asks again after a restart, and lists what it knows", async () => {
  const { answer, report } = await verifySmallHarness();

  expect(answer.code).toBe(1);
  const [unlisted, ...others] = report.divergences.filter(({ known }) => !known);
  expect(others).toEqual([]);
  expect(unlisted?.expected).toEqual({ "commits at the store": "recover" });
  expect(unlisted?.actual).toEqual({ "commits at the store": "intent" });
  expect(unlisted?.schedule.slice(-3)).toEqual(["crash", "reopen", "activate"]);
  expect(report.divergences.filter(({ known }) => known).map(({ id }) => id)).toEqual(["no-cancel"]);
});

test("what the workflow runs fails for a harness that fails, and leaves the folder that it uploads", async () => {
  const text = readFileSync(join(packageRoot(), "examples/ci/durability.yml"), "utf8");
  const { jobs } = parse(text) as { jobs: { verify: { steps: Step[] } } };
  const { steps } = jobs.verify;
  const commands = steps.flatMap(({ run }) => (run?.startsWith("npx durability ") ? [run.split(" ").slice(2)] : []));
  const uploaded = steps.find(({ uses }) => uses?.startsWith("actions/upload-artifact"))?.with?.path;

  expect(commands).toEqual([["verify", "--sut", "./my-adapter.ts", "--out", uploaded]]);
  const out = temporaryFolder();
  const there: Readonly<Record<string, string>> = { "./my-adapter.ts": smallHarness, [uploaded ?? ""]: out };
  const command = (commands[0] ?? []).map((word) => there[word] ?? word);
  const { code } = await cli(...command, "--race", "R8", "--bounds", "small");

  expect(code).toBe(1);
  expect(readdirSync(out).sort()).toEqual(["divergence-1.json", "no-cancel.json", "report.json"]);
});

interface Step {
  readonly run?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, string>>;
}
