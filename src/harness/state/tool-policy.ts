/** The tool policy of a harness: what its options may say, and what they mean (Q1). */
import type { HarnessOptions, ToolPolicy } from "../options.ts";

const defaults: ToolPolicy = { repeatable: [], maxRuns: 3, execution: "parallel" };

/** The policy that calls of tools are made by. */
export function toolPolicyOf({ toolPolicy }: Pick<HarnessOptions, "toolPolicy">): ToolPolicy {
  return { ...defaults, ...toolPolicy };
}

/** @throws {TypeError} when a part of the policy makes no sense. */
export function assertToolPolicy(options: HarnessOptions): void {
  const { maxRuns, execution } = toolPolicyOf(options);
  if (!Number.isSafeInteger(maxRuns) || maxRuns < 1) {
    throw new TypeError(`toolPolicy.maxRuns must be a positive safe integer, not ${maxRuns}`);
  }
  if (execution !== "parallel" && execution !== "sequential") {
    throw new TypeError(`toolPolicy.execution must be "parallel" or "sequential", not ${JSON.stringify(execution)}`);
  }
}
