/** Has a mutant judged by tests of its own copy: for what no schedule drives, such as the files of a store. */
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { packageRoot } from "../package-root.ts";
import type { TrialResult } from "./verdict.ts";
import type { Workspace } from "./workspace.ts";

/** Runs the tests in the copy until one fails. */
export async function judgeByTests({ folder }: Workspace, tests: readonly string[]): Promise<TrialResult> {
  const manifest = createRequire(import.meta.url).resolve("vitest/package.json");
  const runner = join(dirname(manifest), "vitest.mjs");
  const config = join(packageRoot(), "vitest.config.ts");
  const flags = ["run", "--root", folder, "--config", config, "--bail", "1", "--reporter", "json"];
  const paths = tests.map((path) => join("src", path));
  const child = spawn(process.execPath, [runner, ...flags, ...paths], { stdio: ["ignore", "pipe", "ignore"] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  await new Promise((resolve) => child.once("close", resolve));
  return verdictOf(output);
}

interface Outcome {
  readonly numTotalTests: number;
  readonly success: boolean;
  readonly testResults: readonly {
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

function verdictOf(output: string): TrialResult {
  const start = output.indexOf('{"numTotalTestSuites"');
  if (start === -1) return { verdict: "broken", by: "the tests did not run" };
  const { numTotalTests, success, testResults } = JSON.parse(output.slice(start)) as Outcome;
  const failed = testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => status === "failed"),
  );
  const [first] = failed;
  if (first !== undefined) return { verdict: "caught", by: `test: ${first.fullName}` };
  const [error] = testResults.map(({ message }) => message).filter((message) => message !== "");
  if (numTotalTests === 0) return { verdict: "broken", by: error ?? "no test was found" };
  return success ? { verdict: "survived" } : { verdict: "caught", by: error ?? "the run of the tests failed" };
}
