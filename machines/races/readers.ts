/** What the rows about readers and listeners require (I1, I5, K1). */
import { ofOne, type RaceRun, untilReopen } from "./results.ts";

/** No answer lacks what a listener had been given before it. */
export const snapshotsAreNewest = ofOne((run) =>
  untilReopen(run).some(({ snapshots }) => snapshots.some(({ behind }) => behind))
    ? "a snapshot lacked what a listener had been given before it"
    : undefined,
);

/** A close waits for nothing but the store, and once it has settled nobody is told anything any more. */
export const closeSettlesAlone = ofOne((run: RaceRun) => {
  const steps = untilReopen(run);
  const from = steps.findIndex(({ event }) => event.type === "close");
  if (from === -1) return undefined;
  for (const { openCalls, atStore, events } of steps.slice(from)) {
    const isOpen = openCalls.includes("close");
    if (isOpen && atStore.length === 0) return "the close waited although nothing was at the store";
    if (!isOpen && steps[from]?.events !== events && events.length > 0)
      return "a listener was told something after the close";
  }
  return undefined;
});
