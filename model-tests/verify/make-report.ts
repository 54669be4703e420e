/** Puts the findings of a verification into a report: names, verdicts, counterexamples. */
import { type Invariant, invariants, type RequirementId, requirements } from "../../machines/index.ts";
import type { KnownDivergence } from "../adapters/known-divergence.ts";
import { sequenceDiagram } from "../draw/sequence-diagram.ts";
import type { RacePlan } from "../generate/race-schedules.ts";
import { digestOf } from "./counterexample.ts";
import { coverageOf } from "./coverage.ts";
import type { KnownDivergence } from "../adapters/known-divergence.ts";
import type { Driven } from "./driven.ts";
import { knownAs } from "./known.ts";
import { labelsOf } from "./labels.ts";
import { minimise } from "./minimise.ts";
import type { Progress, VerifyOptions } from "./options.ts";
import type { DivergenceReport, InvariantReport, OrderReport, RaceReport, RaceStatus, Report } from "./report.ts";
import { type Divergence, type InvariantTally, type OrderTally, shapeOf, type Tally } from "./tally.ts";

/** Unlisted divergences that are shrunk; the rest share their cause more often than not. */
const shrunkAtMost = 8;

export async function makeReport(
  options: VerifyOptions,
  findings: Driven,
  startedMs: number,
  onProgress: (progress: Progress) => void,
): Promise<Report> {
  const { graph, tally, plans, subject, independent } = findings;
  const divergences = await describeDivergences(options, findings, onProgress);
  const knownKeys = keysOfKnown(subject.known, tally);
  const raceReports = plans.map((plan) => describeRace(plan, tally, knownKeys));
  const invariantReports = invariants.map((invariant) => describeInvariant(invariant, tally));
  const stale = isWhole(options, findings) && options.bounds === "default" ? staleOf(subject.known, tally) : [];
  const failures = failuresOf(options, findings, divergences, raceReports, invariantReports, stale);
  const durationMs = performance.now() - startedMs;
  return {
    version: 1,
    sut: { name: subject.adapter.name, version: subject.adapter.version },
    store: options.store,
    criterion: options.criterion,
    seed: options.seed,
    boundsName: options.bounds,
    bounds: graph.bounds,
    shard: `${options.shard.index}/${options.shard.of}`,
    model: {
      states: graph.nodes.length,
      transitions: graph.edges.length,
      exploreMs: Math.round(graph.exploreMs),
      generateMs: Math.round(findings.generateMs),
      independent,
    },
    schedules: tally.schedules,
    steps: tally.steps,
    stepsLowerBound: findings.stepsLowerBound,
    coverageSteps: findings.coverageSteps,
    durationMs: Math.round(durationMs),
    driveMs: Math.round(findings.driveMs),
    stepsPerSecond: Math.round((tally.steps / findings.driveMs) * 1_000),
    workers: options.workers,
    coverage: coverageOf(graph, tally, isWhole(options, findings)),
    races: raceReports,
    invariants: invariantReports,
    divergences,
    stale,
    internalCrashes: findings.internalCrashes,
    determinism: findings.determinism,
    complete: findings.complete,
    failures,
    passed: failures.length === 0,
  };
}

/** Whether everything was to be driven, and was: only then does an absence say something. */
const isWhole = (options: VerifyOptions, { complete }: Driven): boolean =>
  complete && options.criterion === "transitions" && options.races.length === 0 && options.shard.of === 1;

function keysOfKnown(known: readonly KnownDivergence[], tally: Tally): ReadonlySet<string> {
  return new Set([...tally.divergences.values()].filter((finding) => knownAs(known, finding)).map(({ key }) => key));
}

const staleOf = (known: readonly KnownDivergence[], tally: Tally): string[] => {
  const seen = new Set([...tally.divergences.values()].map((finding) => knownAs(known, finding)?.id));
  return known.filter(({ id }) => !seen.has(id)).map(({ id }) => id);
};

function describeRace(
  { race, enablingStates, crashPoints }: RacePlan,
  tally: Tally,
  known: ReadonlySet<string>,
): RaceReport {
  const orders = tally.races.get(race.id) as [OrderTally, OrderTally];
  const labels = [race.first.label, race.second.label] as const;
  const describe = (order: OrderTally, at: 0 | 1): OrderReport => ({
    first: labels[at],
    second: labels[1 - at] as string,
    required: race.required[at].sentence,
    schedules: order.schedules,
    failed: order.failedSchedules,
    notOffered: order.notOffered,
  });
  return {
    id: race.id,
    title: race.title,
    kind: race.kind,
    requirements: race.requirements,
    enablingStates,
    crashPoints,
    orders: [describe(orders[0], 0), describe(orders[1], 1)],
    status: statusOf(enablingStates, orders, known),
  };
}

function statusOf(enablingStates: number, orders: readonly OrderTally[], known: ReadonlySet<string>): RaceStatus {
  if (enablingStates === 0 || orders.some(({ schedules }) => schedules === 0)) return "vacuous";
  const keys = orders.flatMap(({ failed }) => [...failed.keys()]);
  if (keys.some((key) => !known.has(key))) return "fails";
  if (keys.length > 0) return "fails (known)";
  return orders.some(({ schedules, notOffered }) => notOffered === schedules) ? "unsupported" : "holds";
}

function describeInvariant({ id, title }: Invariant, tally: Tally): InvariantReport {
  const { checked, premiseHeld, violated } = tally.invariants.get(id) as InvariantTally;
  return { id, title, checked, premiseHeld, violated };
}

/** Divergences by how directly they point at their cause: unlisted first, then by the length of their schedules. */
async function describeDivergences(
  options: VerifyOptions,
  { graph, subject, tally }: Driven,
  onProgress: (progress: Progress) => void,
): Promise<DivergenceReport[]> {
  const groups = new Map<string, { known: KnownDivergence | undefined; findings: Divergence[] }>();
  for (const finding of tally.divergences.values()) {
    const known = knownAs(subject.known, finding);
    const id = known?.id ?? shapeOf(finding);
    const group = groups.get(id) ?? { known, findings: [] };
    group.findings.push(finding);
    groups.set(id, group);
  }
  const ordered = [...groups.values()]
    .map(({ known, findings }) => ({ known, findings: findings.sort(byLength) }))
    .sort((a, b) => Number(a.known !== undefined) - Number(b.known !== undefined) || byLength(first(a), first(b)));
  const digest = digestOf(graph);
  const reports: DivergenceReport[] = [];
  for (const [at, { known, findings }] of ordered.entries()) {
    onProgress({ phase: "minimising", done: at, total: ordered.length });
    const [shortest] = findings as [Divergence, ...Divergence[]];
    const path =
      known === undefined && at < shrunkAtMost ? await minimise(subject, graph, shortest) : shortest.schedule;
    reports.push(describe(at, known, { ...shortest, schedule: path }, findings));
  }
  return reports;

  function describe(
    at: number,
    known: KnownDivergence | undefined,
    finding: Divergence,
    all: readonly Divergence[],
  ): DivergenceReport {
    const { requirement, field, expected, actual } = finding.mismatch;
    const schedule = labelsOf(graph, finding.schedule);
    const racesHit = [...new Set(all.flatMap((other) => [...other.races]))].sort();
    return {
      id: known?.id ?? `divergence-${at + 1}`,
      requirement: known?.requirement ?? requirement,
      sentence: sentenceOf(known?.requirement ?? requirement),
      ...(racesHit[0] === undefined ? {} : { race: racesHit[0] }),
      races: racesHit,
      known: known !== undefined,
      ...(known === undefined ? {} : { summary: known.summary, why: known.why }),
      times: all.reduce((sum, { times }) => sum + times, 0),
      stepsLost: all.reduce((sum, { stepsLost }) => sum + stepsLost, 0),
      action: finding.action,
      schedule,
      expected: { [field]: expected },
      actual: { [field]: actual },
      sequenceDiagram: sequenceDiagram(graph, finding.schedule, finding.mismatch),
      counterexample: {
        kind: "assistant-durability counterexample",
        version: 1,
        machine: { name: "operation", digest },
        bounds: options.bounds,
        sut: options.sut,
        store: options.store,
        requirement,
        schedule,
        ...(finding.inside !== undefined && { inside: finding.inside }),
        field,
        expected,
        actual,
      },
    };
  }
}

const first = ({ findings }: { findings: readonly Divergence[] }): Divergence => findings[0] as Divergence;
const byLength = (a: Divergence, b: Divergence): number =>
  a.schedule.length - b.schedule.length || (a.key < b.key ? -1 : 1);

const sentenceOf = (id: string): string =>
  id in requirements ? requirements[id as RequirementId] : "no requirement of this name";

function failuresOf(
  options: VerifyOptions,
  findings: Driven,
  divergences: readonly DivergenceReport[],
  raceReports: readonly RaceReport[],
  invariantReports: readonly InvariantReport[],
  stale: readonly string[],
): string[] {
  const { graph, independent, complete, determinism } = findings;
  const failures: string[] = [];
  const unlisted = divergences.filter(({ known }) => !known).length;
  if (unlisted > 0) failures.push(`${unlisted} unlisted divergence${unlisted === 1 ? "" : "s"}`);
  // What was not driven says nothing: one reason instead of as many as there are rows.
  if (!complete) return [...failures, "the time budget ran out before everything was driven: inconclusive"];
  for (const id of stale) failures.push(`the listed divergence ${id} no longer occurs: take it off the list`);
  for (const { id, status } of raceReports)
    if (status === "vacuous") failures.push(`row ${id} is vacuous: nothing was checked`);
  for (const { id, premiseHeld } of invariantReports) {
    if (premiseHeld === 0 && unlisted === 0 && isWhole(options, findings))
      failures.push(`the premise of invariant ${id} never held: nothing was checked`);
  }
  if (independent.states !== graph.nodes.length || independent.transitions !== graph.edges.length) {
    failures.push(
      `the two explorations disagree: ${graph.nodes.length} and ${independent.states} states, ${graph.edges.length} and ${independent.transitions} transitions`,
    );
  }
  if (determinism.differences > 0)
    failures.push(`${determinism.differences} schedules ran differently the second time`);
  return failures;
}
