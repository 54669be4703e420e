/** Why a verification fails: the reasons, in words. */
import type { Driven } from "./driven.ts";
import type { Report } from "./report.ts";

type Shown = Pick<Report, "divergences" | "races" | "invariants" | "stale">;

/** @param whole whether everything was to be driven, and was. */
export function failuresOf(driven: Driven, shown: Shown, whole: boolean): string[] {
  const unlisted = shown.divergences.filter(({ known }) => !known).length;
  const diverged = unlisted === 0 ? [] : [`${unlisted} unlisted divergence${unlisted === 1 ? "" : "s"}`];
  // What was not driven says nothing: one reason instead of as many as there are rows.
  if (driven.bailed) return diverged;
  if (!driven.complete) {
    return [...diverged, "the time budget ran out before everything was driven: inconclusive"];
  }
  return [
    ...diverged,
    ...shown.stale.map((id) => `the listed divergence ${id} no longer occurs: take it off the list`),
    ...vacuous(shown, whole && unlisted === 0),
    ...doubts(driven),
  ];
}

/** Where nothing was checked. A premise may be out of reach behind a divergence. */
function vacuous({ races, invariants }: Shown, reachesAll: boolean): string[] {
  const rows = races.filter(({ status }) => status === "vacuous");
  const unmet = reachesAll ? invariants.filter(({ premiseHeld }) => premiseHeld === 0) : [];
  return [
    ...rows.map(({ id }) => `row ${id} is vacuous: nothing was checked`),
    ...unmet.map(({ id }) => `the premise of invariant ${id} never held: nothing was checked`),
  ];
}

/** What the verification finds about itself. */
function doubts({ graph, independent, determinism }: Driven): string[] {
  const [states, transitions] = [graph.nodes.length, graph.edges.length];
  const agree = independent.states === states && independent.transitions === transitions;
  return [
    ...(agree
      ? []
      : [
          `the two explorations disagree: ${states} and ${independent.states} states, ${transitions} and ${independent.transitions} transitions`,
        ]),
    ...(determinism.differences > 0 ? [`${determinism.differences} schedules ran differently the second time`] : []),
  ];
}
