/** Close, fault and external finalization (section K). */
import { each, type Invariant, landings, steps, stillPending, withoutOutsider } from "./judging.ts";

/** The invariants of section K. */
export const stopping: readonly Invariant[] = [
  {
    id: "K3",
    title: "at most one terminal transaction per operation ever lands",
    judge: (history) => {
      const ended = new Set<string>();
      return each(
        landings(history, ({ ends }) => ends !== undefined),
        ({ ends }) => {
          const twice = ended.has(ends as string);
          ended.add(ends as string);
          return twice ? `operation ${ends} ended twice` : undefined;
        },
      );
    },
  },
  {
    id: "K1",
    title: "a close leaves no promise pending",
    judge: (history) =>
      each(
        steps(history, (step) => step.calls.some(({ call, outcome }) => call === "close" && outcome === "ok")),
        (step) => stillPending(withoutOutsider(step)),
      ),
  },
  {
    id: "K2",
    title: "a fault leaves no promise pending",
    judge: (history) =>
      each(
        steps(history, (step) => step.events.some(({ name }) => name === "fault")),
        (step) => stillPending(withoutOutsider(step)),
      ),
  },
];
