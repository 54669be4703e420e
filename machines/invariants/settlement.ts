/** Settlement is one transaction (section D). */
import { each, type Invariant, isSettlement, landings } from "./judging.ts";

/** The invariants of section D. */
export const settlement: readonly Invariant[] = [
  {
    id: "D1",
    title: "response, usage and decision are one transaction",
    judge: (history) =>
      each(
        landings(history, (landing) => landing.responses.length > 0 || isSettlement(landing)),
        (landing) => {
          const [response] = landing.responses;
          if (landing.responses.length !== 1 || response === undefined)
            return `${landing.responses.length} responses at once`;
          if (landing.usage.length !== 1 || landing.usage[0]?.entryId !== response.id)
            return "a response without its usage row";
          return landing.decides ? undefined : "a response without a decision";
        },
      ),
  },
];
