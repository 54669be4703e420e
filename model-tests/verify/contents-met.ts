/** Which content met what: the states that have committed frames, the crashes there, and the rows of the race table. */
import { type ContentName, contentNames } from "../contents/catalogue.ts";
import type { RunResult } from "../drive/run.ts";
import type { Graph } from "../explore/graph.ts";
import type { Schedule } from "../generate/schedule.ts";

/** What one content has met. */
interface Met {
  /** Nodes of the graph in which some of it was committed and not settled. */
  readonly states: Set<number>;
  /** Transitions at which the process went while some of it was committed. */
  readonly losses: Set<number>;
  /** Rows whose race began while some of it was committed, or brought it. */
  readonly rows: Set<string>;
}

export type ContentsMet = ReadonlyMap<ContentName, Met>;

export const newContentsMet = (): ContentsMet =>
  new Map(contentNames.map((name) => [name, { states: new Set(), losses: new Set(), rows: new Set() }]));

const isLoss = (type: string): boolean => type === "crash" || type === "close";

/** Add what one run has met. */
export function noteContents(
  contents: ContentsMet,
  graph: Graph,
  { content, races = [] }: Schedule,
  { steps, sayings }: Pick<RunResult, "steps" | "sayings">,
): void {
  if (content === undefined) return;
  let requests = 0;
  for (const [at, { edge, fact }] of steps.entries()) {
    requests += fact.requests.length + fact.polls.length;
    const before = graph.nodes[edge.from]?.expected.durable.listed ?? 0;
    if (requests === 0 || (fact.durable.listed === 0 && before === 0)) continue;
    const met = contents.get(sayings(requests).name as ContentName);
    // What was recorded is no content of the catalogue.
    if (met === undefined) return;
    if (fact.durable.listed > 0) met.states.add(edge.to);
    if (before > 0 && isLoss(edge.event.type)) met.losses.add(edge.index);
    for (const { id, begins, length } of races) if (at >= begins && at < length) met.rows.add(id);
  }
}

/** Add `from` to `into`. */
export function addContents(into: ContentsMet, from: ContentsMet): void {
  for (const [name, { states, losses, rows }] of from) {
    const met = into.get(name) as Met;
    for (const state of states) met.states.add(state);
    for (const loss of losses) met.losses.add(loss);
    for (const row of rows) met.rows.add(row);
  }
}
