/** Adds up token usage (A3). */
import type { Usage } from "@earendil-works/pi-ai";

/** No tokens, no cost. */
export function zeroUsage(): Usage {
  return {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 0,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  };
}

/** The sum of two usages. An optional part is present when either has it. */
export function addUsage(left: Usage, right: Usage): Usage {
  return {
    input: left.input + right.input,
    output: left.output + right.output,
    cacheRead: left.cacheRead + right.cacheRead,
    cacheWrite: left.cacheWrite + right.cacheWrite,
    ...optionalSum("cacheWrite1h", left, right),
    ...optionalSum("reasoning", left, right),
    totalTokens: left.totalTokens + right.totalTokens,
    cost: {
      input: left.cost.input + right.cost.input,
      output: left.cost.output + right.cost.output,
      cacheRead: left.cost.cacheRead + right.cost.cacheRead,
      cacheWrite: left.cost.cacheWrite + right.cost.cacheWrite,
      total: left.cost.total + right.cost.total,
    },
  };
}

type OptionalPart = "cacheWrite1h" | "reasoning";

function optionalSum(part: OptionalPart, left: Usage, right: Usage): Partial<Pick<Usage, OptionalPart>> {
  const a = left[part];
  const b = right[part];
  return a === undefined && b === undefined ? {} : { [part]: (a ?? 0) + (b ?? 0) };
}
