/** The retry policy of a harness: what its options may say, and what a generation captures of it (O4, D5). */
import type { RetryPolicy } from "../../durable/operation.ts";
import type { HarnessOptions } from "../options.ts";

const defaults: RetryPolicy = { maxAttempts: 1, baseDelayMs: 0, maxAgentDelayMs: 60_000 };

/** The policy that the next generation captures. */
export function retryPolicyOf({ retryPolicy }: HarnessOptions): RetryPolicy {
  return { ...defaults, ...retryPolicy };
}

/** @throws {TypeError} when a part of the policy is no number that makes sense. */
export function assertRetryPolicy(options: HarnessOptions): void {
  const { maxAttempts, baseDelayMs, maxAgentDelayMs } = retryPolicyOf(options);
  if (!Number.isSafeInteger(maxAttempts) || maxAttempts < 1) {
    throw new TypeError(`retryPolicy.maxAttempts must be a positive safe integer, not ${maxAttempts}`);
  }
  if (!(baseDelayMs >= 0) || !(maxAgentDelayMs >= 0)) throw new TypeError("Retry delays must not be negative");
}
