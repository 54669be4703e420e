/** Drives a batch of schedules and judges every run: coverage, divergences, invariants, race rows. */
import { type History, invariants, type Race, races, stateName } from "../../machines/index.ts";
import { type Mismatch, mismatch } from "../drive/mismatch.ts";
import { type CrashInside, type RunOptions, type RunResult, run, type Subject } from "../drive/run.ts";
import type { DrivenStep } from "../drive/trail.ts";
import type { Graph, GraphEdge } from "../explore/graph.ts";
import { quietWays, type RacePurpose, type Schedule } from "../generate/schedule.ts";
import { addFinding, findingKey, type InvariantTally, newTally, type OrderTally, type Tally } from "./tally.ts";

const racesById: ReadonlyMap<string, Race> = new Map(races.map((race) => [race.id, race]));

export async function driveBatch(
  subject: Subject,
  graph: Graph,
  schedules: readonly Schedule[],
  mayContinue: () => boolean = () => true,
): Promise<Tally> {
  const tally = newTally(graph.edges.length);
  let trail: RunResult["trail"] = [];
  for (const schedule of schedules) {
    if (!mayContinue()) break;
    const result = await run(subject, graph, schedule.edges, { ...optionsOf(graph, schedule), trail });
    ({ trail } = result);
    judge(graph, tally, schedule, result);
  }
  return tally;
}

const waysOf = new WeakMap<Graph, CrashInside["ways"]>();

/** How a schedule is run: one that crashes inside its last step goes on along the quiet ways of its graph. */
export function optionsOf(graph: Graph, { inside }: Schedule): RunOptions {
  if (inside === undefined) return {};
  const ways = waysOf.get(graph) ?? quietWays(graph);
  waysOf.set(graph, ways);
  return { crashInside: { ...inside, ways } };
}

/** What one run has shown. */
export function judge(graph: Graph, tally: Tally, schedule: Schedule, { steps, end }: RunResult): void {
  tally.schedules++;
  tally.steps += steps.length;
  for (const { edge, fact } of steps) {
    tally.covered[edge.index] = 1;
    const internal = fact.landings.filter(({ commit }) => commit === "internal").length;
    tally.internal[edge.index] = Math.max(tally.internal[edge.index] ?? 0, internal);
  }
  const failures: Failure[] = [];
  if (end.kind === "not offered") tally.notOffered[end.edge.index] = 1;
  if (end.kind === "diverged") {
    tally.diverged[end.edge.index] = 1;
    failures.push(report(graph, tally, schedule, steps.length, end.edge, end.mismatch));
  }
  failures.push(...judgeInvariants(graph, tally, schedule, steps));
  for (const purpose of schedule.races ?? []) judgeRace(graph, tally, schedule, purpose, steps, end.kind, failures);
}

interface Failure {
  readonly key: string;
  /** The step of the run that shows it. */
  readonly at: number;
}

/** Whether step `at` of a run belongs to the race of a row, and not to the way there or to what another row adds. */
const isOfRace = ({ begins, length }: RacePurpose, at: number): boolean => at >= begins && at < length;

/** Note a divergence at step `at` of a schedule. */
function report(graph: Graph, tally: Tally, schedule: Schedule, at: number, edge: GraphEdge, found: Mismatch): Failure {
  const state = stateName(graph.nodes[edge.to]?.path ?? "");
  const key = findingKey(edge.action, state, found);
  addFinding(tally, {
    key,
    action: edge.action,
    state,
    mismatch: found,
    schedule: schedule.edges.slice(0, at + 1).map(({ index }) => index),
    ...(schedule.inside !== undefined && { inside: schedule.inside }),
    times: 1,
    stepsLost: schedule.edges.length - at,
    races: new Set((schedule.races ?? []).filter((purpose) => isOfRace(purpose, at)).map(({ id }) => id)),
  });
  return { key, at };
}

function judgeInvariants(graph: Graph, tally: Tally, schedule: Schedule, steps: readonly DrivenStep[]): Failure[] {
  const history: History = steps.map(({ fact }) => fact);
  return invariants.flatMap((invariant) => {
    const { premiseHeld, violations } = invariant.judge(history);
    const total = tally.invariants.get(invariant.id) as InvariantTally;
    total.checked++;
    total.premiseHeld += premiseHeld;
    total.violated += violations.length;
    const [first] = violations;
    if (first === undefined) return [];
    const edge = steps[first.step]?.edge as GraphEdge;
    return [
      report(
        graph,
        tally,
        schedule,
        first.step,
        edge,
        mismatch(invariant.id, "invariant", invariant.title, first.what),
      ),
    ];
  });
}

function judgeRace(
  graph: Graph,
  tally: Tally,
  schedule: Schedule,
  purpose: RacePurpose,
  steps: readonly DrivenStep[],
  end: RunResult["end"]["kind"],
  failures: readonly Failure[],
): void {
  const order = tally.races.get(purpose.id)?.[purpose.order] as OrderTally;
  // A run that never got to its race says nothing about the row.
  if (steps.length < purpose.begins) return;
  order.schedules++;
  const own = steps.slice(0, purpose.length);
  if (end === "not offered" && own.length < purpose.length) order.notOffered++;
  // A row is about its two actions, and about a crash in between; what another disturbance brings to light is a finding
  // of its own.
  if (purpose.disturbance !== undefined && purpose.disturbance !== "crash") return;
  const found = failures.filter(({ at }) => at < purpose.length);
  if (found.length === 0) found.push(...judgeRequired(graph, tally, schedule, purpose, own));
  if (found.length > 0) order.failedSchedules++;
  for (const { key } of found) order.failed.set(key, (order.failed.get(key) ?? 0) + 1);
}

function judgeRequired(
  graph: Graph,
  tally: Tally,
  schedule: Schedule,
  purpose: RacePurpose,
  steps: readonly DrivenStep[],
): Failure[] {
  const race = racesById.get(purpose.id) as Race;
  const required = race.required[purpose.order];
  // The forbidden order of a precedence is judged while the first is parked: what comes later is the allowed order.
  const until = race.kind === "precedence" && purpose.order === 1 ? purpose.begins + purpose.pair : steps.length;
  const what = required.violated({
    steps: steps.slice(purpose.begins, until).map(({ fact }) => fact),
    before: steps[purpose.begins - 1]?.fact,
  });
  if (what === undefined) return [];
  const edge = schedule.edges[steps.length - 1] as GraphEdge;
  const [requirement = "C7"] = race.requirements;
  return [
    report(
      graph,
      tally,
      schedule,
      steps.length - 1,
      edge,
      mismatch(requirement, `race ${race.id}`, required.sentence, what),
    ),
  ];
}
