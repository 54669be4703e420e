/** Recovery of an orphaned generation (section E). */
import { each, found, type Invariant, isSettlement } from "./judging.ts";

/** The invariants of section E. */
export const recovery: readonly Invariant[] = [
  {
    id: "E8",
    title: "error and aborted responses stay out of later provider context",
    judge: (history) => {
      let settledBefore = 0;
      const later = found(history, ({ requests, landings: landed }) => {
        const behind = settledBefore > 0 ? requests : [];
        settledBefore += landed.filter(isSettlement).length;
        return behind;
      });
      return each(later, ({ contextStops }) =>
        contextStops.some((stop) => stop === "error" || stop === "aborted")
          ? "a failed response was sent to the provider"
          : undefined,
      );
    },
  },
];
