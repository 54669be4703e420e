/** Reads what a provider reports as its usage: what cannot be read counts as zero, and never costs an answer (Q3). */
import type { AssistantMessage, AssistantMessageDiagnostic, Usage } from "@earendil-works/pi-ai";

/** A usage as it is stored, and what of the reported one could not be read. */
export interface ReadUsage {
  readonly usage: Usage;
  /** Each unreadable part with what it held, such as `cost.total: NaN`. */
  readonly unread: string[];
}

/** Reads a reported usage part by part. Only a finite number that is not negative counts (Q3). */
export function readUsage(reported: unknown): ReadUsage {
  const unread: string[] = [];
  const tokens = membersOf(reported);
  const costs = membersOf(tokens.cost);
  const count = (holder: Record<string, unknown>, part: string, name = part): number => {
    const value = holder[part];
    if (typeof value === "number" && Number.isFinite(value) && value >= 0) return value;
    unread.push(`${name}: ${typeof value === "object" && value !== null ? "object" : String(value)}`);
    return 0;
  };
  const usage: Usage = {
    input: count(tokens, "input"),
    output: count(tokens, "output"),
    cacheRead: count(tokens, "cacheRead"),
    cacheWrite: count(tokens, "cacheWrite"),
    ...(tokens.cacheWrite1h !== undefined && { cacheWrite1h: count(tokens, "cacheWrite1h") }),
    ...(tokens.reasoning !== undefined && { reasoning: count(tokens, "reasoning") }),
    totalTokens: count(tokens, "totalTokens"),
    cost: {
      input: count(costs, "input", "cost.input"),
      output: count(costs, "output", "cost.output"),
      cacheRead: count(costs, "cacheRead", "cost.cacheRead"),
      cacheWrite: count(costs, "cacheWrite", "cost.cacheWrite"),
      total: count(costs, "total", "cost.total"),
    },
  };
  return { usage, unread };
}

/** A growing message with a usage that can be stored: nothing is reported before its end. */
export const withCountableUsage = (partial: AssistantMessage): AssistantMessage => ({
  ...partial,
  usage: readUsage(partial.usage).usage,
});

/** The message with a usage that can be stored; a diagnostic of it names what could not be read (Q3). */
export function withReadableUsage(message: AssistantMessage, now: number): AssistantMessage {
  const { usage, unread } = readUsage(message.usage);
  if (unread.length === 0) return { ...message, usage };
  return { ...message, usage, diagnostics: [...(message.diagnostics ?? []), diagnostic(unread, now)] };
}

function diagnostic(unread: readonly string[], timestamp: number): AssistantMessageDiagnostic {
  return { type: "unreadable_usage", timestamp, error: { message: `Counted as zero: ${unread.join(", ")}` } };
}

const membersOf = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
