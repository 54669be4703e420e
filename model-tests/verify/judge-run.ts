/** Judges one run: what it covers, where it diverges, and what it says about invariants and race rows. */
import { type Race, races, stateName } from "../../machines/index.ts";
import { broken, type Mismatch } from "../drive/mismatch.ts";
import type { DrivenStep, RunResult } from "../drive/run.ts";
import type { Graph, GraphEdge } from "../explore/graph.ts";
import { pairOf, pairsIn } from "../generate/pairs.ts";
import type { RacePurpose, Schedule } from "../generate/schedule.ts";
import { noteContents } from "./contents-met.ts";
import { judgeHistory } from "./judge-history.ts";
import { addDivergence, type Divergence, divergenceKey, type OrderTally, type Tally, tallyFor } from "./tally.ts";

/** A schedule that was driven, and what came of it. */
export interface DrivenSchedule {
  readonly graph: Graph;
  readonly schedule: Schedule;
  readonly result: RunResult;
}

/** Adds to a tally what one run has shown. */
export function judgeRun(tally: Tally, driven: DrivenSchedule): void {
  new RunJudge(tally, driven).judge();
}

/** What one run alone has shown: some divergences are no difference of one step. */
export function divergencesOf(driven: DrivenSchedule): Divergence[] {
  const tally = tallyFor(driven.graph);
  judgeRun(tally, driven);
  return [...tally.divergences.values()];
}

const racesById: ReadonlyMap<string, Race> = new Map(races.map((race) => [race.id, race]));

/** Whether step `at` of a run belongs to the race of a row, and not to the path to it or to what another row adds. */
const isOfRace = ({ begins, length }: RacePurpose, at: number): boolean => at >= begins && at < length;

/** A divergence that this run shows, and the step that shows it. */
interface Noted {
  readonly key: string;
  readonly at: number;
}

class RunJudge {
  readonly #tally: Tally;
  readonly #graph: Graph;
  readonly #schedule: Schedule;
  readonly #steps: readonly DrivenStep[];
  readonly #end: RunResult["end"];
  readonly #result: RunResult;
  readonly #wrong: RunResult["wrong"];
  /** What the run shows whatever its rows require. */
  readonly #noted: Noted[] = [];

  constructor(tally: Tally, { graph, schedule, result }: DrivenSchedule) {
    this.#tally = tally;
    this.#graph = graph;
    this.#schedule = schedule;
    this.#steps = result.steps;
    this.#end = result.end;
    this.#result = result;
    this.#wrong = result.wrong;
  }

  judge(): void {
    const end = this.#end;
    this.#count();
    this.#countPairs();
    this.#noteUnfinished();
    if (end.kind === "not offered") this.#tally.notOffered[end.edge.index] = 1;
    if (end.kind === "diverged") {
      this.#tally.diverged[end.edge.index] = 1;
      this.#noted.push(this.#note(this.#steps.length, end.edge, end.mismatch));
    }
    for (const { at, edge, mismatch } of this.#wrong) this.#noted.push(this.#note(at, edge, mismatch));
    const history = this.#steps.map(({ fact }) => fact);
    for (const failed of judgeHistory(this.#tally, history)) {
      this.#noted.push(this.#note(failed.at, this.#steps[failed.at]?.edge as GraphEdge, failed.mismatch));
    }
    for (const purpose of this.#schedule.races ?? []) this.#judgeRow(purpose);
  }

  #count(): void {
    this.#tally.schedules++;
    this.#tally.steps += this.#steps.length;
    noteContents(this.#tally.contents, this.#graph, this.#schedule, this.#result);
    for (const { edge, fact } of this.#steps) {
      this.#tally.covered[edge.index] = 1;
      const internal = fact.landings.filter(({ commit }) => commit === "internal").length;
      this.#tally.internal[edge.index] = Math.max(this.#tally.internal[edge.index] ?? 0, internal);
    }
  }

  #noteUnfinished(): void {
    const { edges, isTest } = this.#schedule;
    if (isTest !== true || this.#end.kind === "completed") return;
    // Another case of the last action was taken than was planned.
    const isOther = this.#end.kind === "not offered" && this.#end.because === "case";
    const held = this.#steps.length - (isOther ? 1 : 0);
    this.#tally.unfinished.push({ path: edges.map(({ index }) => index), held });
  }

  #countPairs(): void {
    const driven = this.#steps.map(({ edge }) => edge);
    for (const { index } of pairsIn(this.#graph, driven)) this.#tally.pairs[index] = 1;
    if (this.#end.kind === "completed" || this.#schedule.inside !== undefined) return;
    const { edge } = this.#end;
    // Another case of an action may have been taken than the one that was planned.
    const before = this.#end.kind === "not offered" && this.#end.because === "case" ? driven.slice(0, -1) : driven;
    const lost = pairOf(this.#graph, before.at(-1), edge);
    if (lost !== undefined) this.#tally.pairsLost[lost.index] = 1;
  }

  /** Note a mismatch at step `at` of the schedule. */
  #note(at: number, edge: GraphEdge, found: Mismatch): Noted {
    const { edges, inside, content, races: purposes = [] } = this.#schedule;
    const where = {
      action: edge.action,
      from: stateName(this.#graph.nodes[edge.from]?.path ?? ""),
      state: stateName(this.#graph.nodes[edge.to]?.path ?? ""),
    };
    const key = divergenceKey(where, found);
    addDivergence(this.#tally, {
      key,
      ...where,
      mismatch: found,
      schedule: edges.slice(0, at + 1).map(({ index }) => index),
      ...(inside !== undefined && { inside }),
      ...(content !== undefined && { content }),
      times: 1,
      stepsLost: edges.length - at,
      races: new Set(purposes.filter((purpose) => isOfRace(purpose, at)).map(({ id }) => id)),
    });
    return { key, at };
  }

  #judgeRow(purpose: RacePurpose): void {
    const order = this.#tally.races.get(purpose.id)?.[purpose.order] as OrderTally;
    // A run that never got to its race says nothing about the row.
    if (this.#steps.length < purpose.begins) return;
    order.schedules++;
    if (this.#end.kind === "not offered" && this.#steps.length < purpose.length) order.notOffered++;
    // A row is about its two actions, and about a crash in between. What another disturbance shows is no failure of the row.
    if (purpose.disturbance !== undefined && purpose.disturbance !== "crash") return;
    const own = this.#noted.filter(({ at }) => at < purpose.length);
    const failed = own.length > 0 ? own : this.#judgeRequired(purpose);
    if (failed.length > 0) order.failedSchedules++;
    for (const { key } of failed) order.failed.set(key, (order.failed.get(key) ?? 0) + 1);
  }

  /** Whether the run reaches what its row requires: no single step shows it. */
  #judgeRequired({ id, order, begins, pair, length }: RacePurpose): Noted[] {
    const race = racesById.get(id) as Race;
    const steps = this.#steps.slice(0, length);
    const required = race.required[order];
    // The forbidden order of a precedence is judged while the first is parked: what comes later is the allowed order.
    const until = race.kind === "precedence" && order === 1 ? begins + pair : steps.length;
    const what = required.violated({
      steps: steps.slice(begins, until).map(({ fact }) => fact),
      before: steps[begins - 1]?.fact,
    });
    if (what === undefined) return [];
    const last = steps.length - 1;
    const [requirement = "C7"] = race.requirements;
    const edge = this.#schedule.edges[last] as GraphEdge;
    return [this.#note(last, edge, broken(requirement, `race ${id}`, required.sentence, what))];
  }
}
