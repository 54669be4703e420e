/** Usages that gateways report and nobody can read, with what of each counts (Q3). */
import type { Usage } from "@earendil-works/pi-ai";
import type { UnreadableUsage } from "./beat.ts";

const none: Usage = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};
const counted: Usage = { ...none, input: 21, output: 2, totalTokens: 23 };

/** A way to get a usage wrong, from what a correct one would be. */
interface Fault {
  readonly reported: (usage: Usage) => unknown;
  readonly counts: (usage: Usage) => Usage;
}

/** What a model without prices, and a gateway that reports nothing, leave out. */
export const partlyMissing: readonly Fault[] = [
  { reported: () => undefined, counts: () => none },
  { reported: ({ input, output, totalTokens }) => ({ input, output, totalTokens }), counts: (usage) => usage },
  { reported: () => null, counts: () => none },
];

/** What a wrong calculation gives. */
export const noNumbers: readonly Fault[] = [
  {
    reported: (usage) => ({ ...usage, cost: { ...usage.cost, total: Number.NaN } }),
    counts: (usage) => usage,
  },
  { reported: (usage) => ({ ...usage, input: Number.POSITIVE_INFINITY }), counts: (usage) => ({ ...usage, input: 0 }) },
  { reported: (usage) => ({ ...usage, output: -2 }), counts: (usage) => ({ ...usage, output: 0 }) },
];

/** Each request gets its usage wrong in the next way. */
export function unreadableUsage(faults: readonly Fault[], request: number): UnreadableUsage {
  const { reported, counts } = faults[request % faults.length] as Fault;
  // The type has no word for what providers send.
  return { reported: reported(counted) as Usage, counts: counts(counted) };
}
