/** What a verification has driven of the true races of its graph: by the rows that name them, and those that none names. */
import type { Graph } from "../explore/graph.ts";
import { rowsNaming, type TrueRace, trueRacesOf } from "../generate/true-races.ts";
import type { TrueRacesReport } from "./report.ts";
import type { Tally } from "./tally.ts";

/** Counts the true races of a graph, and those of them that were driven in both orders. */
export function describeTrueRaces(graph: Graph, { pairs }: Pick<Tally, "pairs">): TrueRacesReport {
  const races = trueRacesOf(graph);
  const isDriven = ({ orders }: TrueRace): boolean => orders.every(({ index }) => pairs[index]);
  const rows = new Groups();
  const unnamed = new Groups();
  let named = 0;
  for (const race of races) {
    const ids = rowsNaming(graph, race).map(({ id }) => id);
    if (ids.length > 0) named++;
    else unnamed.add(actionsOf(race).join("\n"), isDriven(race));
    for (const id of ids) rows.add(id, isDriven(race));
  }
  return {
    total: races.length,
    driven: races.filter(isDriven).length,
    named,
    rows: rows.list().map(({ key, ...counts }) => ({ id: key, ...counts })),
    unnamed: unnamed.list().map(({ key, ...counts }) => ({ actions: key.split("\n") as [string, string], ...counts })),
  };
}

const actionsOf = ({ orders }: TrueRace): string[] => orders.map(({ first }) => first?.action ?? "").sort();

/** Races that have something in common, counted. */
class Groups {
  readonly #groups = new Map<string, { races: number; driven: number }>();

  add(key: string, isDriven: boolean): void {
    const group = this.#groups.get(key) ?? { races: 0, driven: 0 };
    group.races++;
    if (isDriven) group.driven++;
    this.#groups.set(key, group);
  }

  /** The largest first. */
  list(): { key: string; races: number; driven: number }[] {
    return [...this.#groups]
      .map(([key, counts]) => ({ key, ...counts }))
      .sort((a, b) => b.races - a.races || (a.key < b.key ? -1 : 1));
  }
}
