/** The retry rule of a generation, as its options give it (O4, D5). */
import type { RetryRule } from "../../durable/operation.ts";
import type { HarnessOptions } from "../options.ts";

const defaultMaxDelayMs = 60_000;

/** One attempt and no delay unless the options say otherwise; no delay is longer than a minute by default. */
export function retryRule({ retry }: HarnessOptions): RetryRule {
  return {
    maxAttempts: retry?.maxAttempts ?? 1,
    baseDelayMs: retry?.baseDelayMs ?? 0,
    maxAgentDelayMs: retry?.maxDelayMs ?? defaultMaxDelayMs,
  };
}
