/** A replay of what a race row requires: no single step shows it, only the run from the race on. */
import { type Act, type Race, races } from "../../machines/index.ts";
import type { RunResult } from "../drive/run.ts";
import type { Graph, GraphEdge } from "../explore/graph.ts";
import { isAct } from "../generate/race-schedules.ts";
import type { Counterexample } from "../verify/counterexample.ts";

/** Whether the run violates the row's required result that the counterexample names, wherever its race may begin. */
export function rowIsViolated(
  graph: Graph,
  { steps }: RunResult,
  { field, expected, actual }: Pick<Counterexample, "field" | "expected" | "actual">,
): boolean {
  const race = races.find(({ id }) => field === `race ${id}`);
  if (race === undefined) return false;
  const facts = steps.map(({ fact }) => fact);
  return ([0, 1] as const).some((order) => {
    const required = race.required[order];
    if (required.sentence !== expected) return false;
    const provokes = race.kind === "precedence" && order === 1;
    return steps.some(({ edge }, at) => {
      if (!begins(graph, race, order, edge)) return false;
      // A provocation is judged while the first action is parked: for its one step.
      const run = { steps: facts.slice(at, provokes ? at + 1 : undefined), before: facts[at - 1] };
      return required.violated(run) === actual;
    });
  });
}

function begins(graph: Graph, { kind, first, second, provoke }: Race, order: 0 | 1, edge: GraphEdge): boolean {
  const is = (act: Act): boolean => isAct(graph, edge, act);
  if (order === 0) return is(first);
  return kind === "precedence" ? provoke?.includes(edge.event.type) === true : is(second);
}
