/** Makes the report of a verification from what was driven: names, verdicts, counterexamples. */
import { type Invariant, invariants } from "../../machines/index.ts";
import type { KnownDivergence } from "../adapters/known-divergence.ts";
import type { ContentName } from "../contents/catalogue.ts";
import type { RacePlan } from "../generate/race-schedules.ts";
import { describeCertificate } from "./certificate.ts";
import { coverageOf } from "./coverage.ts";
import { describeDivergences } from "./describe-divergences.ts";
import type { Driven } from "./driven.ts";
import { failuresOf } from "./failures.ts";
import { knownAs, staleIn } from "./known.ts";
import { drivesAll, type Progress, type VerifyOptions } from "./options.ts";
import type { ContentReport, InvariantReport, OrderReport, RaceReport, RaceStatus, Report } from "./report.ts";
import type { InvariantTally, OrderTally, Tally } from "./tally.ts";
import { describeTrueRaces } from "./true-races.ts";

export async function makeReport(
  options: VerifyOptions,
  driven: Driven,
  startedMs: number,
  onProgress: (progress: Progress) => void,
): Promise<Report> {
  const { tally, plans, subject } = driven;
  const whole = isWhole(options, driven);
  const knownKeys = keysOfKnown(subject.known, tally);
  const shown = {
    races: plans.map((plan) => describeRace(plan, tally, knownKeys, options.shard.of > 1)),
    invariants: invariants.map((invariant) => describeInvariant(invariant, tally)),
    divergences: await describeDivergences(options, driven, onProgress),
    stale: whole && options.bounds === "default" ? staleIn(subject.known, [...tally.divergences.values()]) : [],
  };
  const failures = failuresOf(driven, shown, whole);
  const certificate = describeCertificate(options, driven, whole && failures.length === 0);
  return {
    version: 1,
    sut: { name: subject.adapter.name, version: subject.adapter.version },
    store: options.store,
    criterion: options.criterion,
    seed: options.seed,
    boundsName: options.bounds,
    bounds: driven.graph.bounds,
    shard: `${options.shard.index}/${options.shard.of}`,
    ...figuresOf(driven, startedMs),
    workers: options.workers,
    coverage: coverageOf(driven.graph, tally, whole, whole && options.criterion === "pairs"),
    trueRaces: describeTrueRaces(driven.graph, tally),
    ...(certificate !== undefined && { certificate }),
    ...shown,
    internalCrashes: driven.internalCrashes,
    walks: driven.walks,
    contents: options.stream === undefined ? describeContents(tally, subject.leftOut) : [],
    determinism: driven.determinism,
    complete: driven.complete,
    failures,
    passed: failures.length === 0,
  };
}

type Figures = "model" | "schedules" | "steps" | "stepsLowerBound" | "coverageSteps";
type Times = "durationMs" | "driveMs" | "stepsPerSecond";

function figuresOf(driven: Driven, startedMs: number): Pick<Report, Figures | Times> {
  const { graph, tally, independent, driveMs } = driven;
  return {
    model: {
      states: graph.nodes.length,
      transitions: graph.edges.length,
      exploreMs: Math.round(graph.exploreMs),
      generateMs: Math.round(driven.generateMs),
      independent,
    },
    schedules: tally.schedules,
    steps: tally.steps,
    stepsLowerBound: driven.stepsLowerBound,
    coverageSteps: driven.coverageSteps,
    durationMs: Math.round(performance.now() - startedMs),
    driveMs: Math.round(driveMs),
    stepsPerSecond: Math.round((tally.steps / driveMs) * 1_000),
  };
}

/** Whether everything was to be driven, and was: only then does an absence say something. */
const isWhole = (options: VerifyOptions, { complete }: Driven): boolean =>
  complete && drivesAll(options.criterion) && options.races.length === 0 && options.shard.of === 1;

function keysOfKnown(known: readonly KnownDivergence[], tally: Tally): ReadonlySet<string> {
  return new Set(
    [...tally.divergences.values()].filter((divergence) => knownAs(known, divergence)).map(({ key }) => key),
  );
}

function describeRace(
  { race, enablingStates, crashPoints }: RacePlan,
  tally: Tally,
  known: ReadonlySet<string>,
  isShare: boolean,
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
    status: statusOf(enablingStates, orders, known, isShare),
  };
}

function statusOf(
  enablingStates: number,
  orders: readonly OrderTally[],
  known: ReadonlySet<string>,
  isShare: boolean,
): RaceStatus {
  const isBare = enablingStates === 0 || orders.some(({ schedules }) => schedules === 0);
  if (isBare && !isShare) return "vacuous";
  const keys = orders.flatMap(({ failed }) => [...failed.keys()]);
  if (keys.some((key) => !known.has(key))) return "fails";
  if (keys.length > 0) return "fails (known)";
  if (isBare) return "elsewhere";
  return orders.some(({ schedules, notOffered }) => notOffered === schedules) ? "unsupported" : "holds";
}

const describeContents = ({ contents }: Tally, leftOut: readonly ContentName[]): ContentReport[] =>
  [...contents]
    .filter(([name]) => !leftOut.includes(name))
    .map(([name, { states, losses, rows }]) => ({ name, states: states.size, losses: losses.size, rows: rows.size }));

function describeInvariant({ id, title }: Invariant, tally: Tally): InvariantReport {
  const { checked, premiseHeld, violated } = tally.invariants.get(id) as InvariantTally;
  return { id, title, checked, premiseHeld, violated };
}
