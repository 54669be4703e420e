/** Reports made by hand, of each command that prints one. Of verify: every verdict that a row can have, a listed and an unlisted divergence. */
import { boundsByName } from "../../machines/index.ts";
import type { BenchReport } from "../bench/bench-report.ts";
import { type CrashReport, makeCrashReport } from "../crash/report.ts";
import type { DivergenceReport, OrderReport, RaceReport, RaceStatus, Report } from "../verify/report.ts";

const order = (first: string, second: string, schedules: number, failed: number): OrderReport => ({
  first,
  second,
  required: "either order ends the same",
  schedules,
  failed,
  notOffered: 0,
});

const race = (id: string, status: RaceStatus, schedules: number, failed: number): RaceReport => ({
  id,
  title: "external finalization / recovery settlement",
  kind: id.startsWith("R") ? "choice" : "precedence",
  requirements: ["C4"],
  enablingStates: status === "vacuous" ? 0 : 1_204,
  orders: [order("append", "finalization", schedules, failed), order("finalization", "append", schedules, 0)],
  crashPoints: 56,
  status,
});

const unlisted: DivergenceReport = {
  id: "divergence-1",
  requirement: "K2",
  sentence: "A storage failure faults the whole harness: effects stop, and a reopen recovers.",
  race: "R4",
  races: ["R4"],
  known: false,
  times: 3,
  stepsLost: 41,
  action: "fail",
  schedule: ["accept", "land", "fail"],
  expected: { "promises settled": "accept: fault" },
  actual: { "promises settled": "none" },
  sequenceDiagram: "App  Harness\n │      │",
  counterexample: {
    kind: "assistant-durability counterexample",
    version: 1,
    machine: { name: "operation", digest: "0123456789abcdef" },
    bounds: "small",
    sut: "sample",
    store: "memory",
    requirement: "K2",
    schedule: ["accept", "land", "fail"],
    field: "promises settled",
    expected: "accept: fault",
    actual: "none",
  },
};

const listed: DivergenceReport = {
  ...unlisted,
  id: "partial-after-close",
  known: true,
  summary: "After close the snapshot still shows the partial message of the stream that was closed.",
  why: "I1: nothing is streaming any more.",
  requirement: "I1",
};

const passing: Report = {
  version: 1,
  sut: { name: "sample", version: "1.2.3" },
  store: "memory",
  criterion: "transitions",
  seed: 7,
  boundsName: "small",
  bounds: boundsByName.small,
  shard: "1/1",
  model: {
    states: 1_500,
    transitions: 9_138,
    exploreMs: 812,
    generateMs: 95,
    independent: { states: 1_500, transitions: 9_138 },
  },
  schedules: 11_845,
  steps: 260_817,
  stepsLowerBound: 57_123,
  coverageSteps: 57_304,
  durationMs: 13_400,
  driveMs: 12_100,
  stepsPerSecond: 21_555,
  workers: 2,
  coverage: {
    states: { covered: 1_500, total: 1_500, notOffered: 0 },
    transitions: { covered: 8_973, total: 8_974, notOffered: 1 },
    pairs: { covered: 13_200, total: 48_878, notOffered: 0 },
  },
  trueRaces: {
    total: 3_087,
    driven: 275,
    named: 1_200,
    rows: [{ id: "R1", races: 147, driven: 147 }],
    unnamed: [{ actions: ["cancel", "tick"], races: 12, driven: 3 }],
  },
  races: [race("R1", "holds", 147, 0)],
  invariants: [
    { id: "N1", title: "scalar state alone selects the restart point", checked: 900, premiseHeld: 812, violated: 0 },
  ],
  divergences: [],
  stale: [],
  internalCrashes: 12,
  contents: [{ name: "plain text", states: 900, losses: 300, rows: 24 }],
  walks: 1_000,
  determinism: { schedules: 40, steps: 869, differences: 0 },
  complete: true,
  failures: [],
  passed: true,
};

export const holds = passing;

export const known: Report = {
  ...passing,
  races: [...passing.races, race("R4", "fails (known)", 124, 5), race("X1", "unsupported", 12, 0)],
  divergences: [listed],
};

export const fails: Report = {
  ...passing,
  races: [...passing.races, race("R4", "fails", 124, 5), race("R5", "vacuous", 0, 0)],
  invariants: [
    ...passing.invariants,
    {
      id: "N2",
      title: "a recovery announces message_start, message_end, entry_added, each once, with its tag",
      checked: 900,
      premiseHeld: 0,
      violated: 0,
    },
    { id: "N3", title: "every stored element is a pi-ai frame", checked: 900, premiseHeld: 40, violated: 2 },
  ],
  model: { ...passing.model, independent: { states: 1_499, transitions: 9_138 } },
  determinism: { schedules: 40, steps: 869, differences: 1 },
  divergences: [unlisted, listed],
  stale: ["gone"],
  failures: [
    "1 unlisted divergence",
    "the listed divergence gone no longer occurs: take it off the list",
    "row R5 is vacuous: nothing was checked",
  ],
  passed: false,
};

export const undecided: Report = {
  ...passing,
  complete: false,
  failures: ["the time budget ran out before everything was driven: inconclusive"],
  passed: false,
};

export const killed: CrashReport = makeCrashReport(3, [
  {
    store: "jsonl",
    durability: "power",
    kills: 200,
    acknowledged: 4_321,
    unacknowledged: 87,
    tornTails: 6,
    recoveries: 150,
    durationMs: 50_000,
    losses: [{ kill: 7, what: "transaction 3 of 9 is not there", evidence: "out/crash-jsonl-power-7" }],
  },
]);

export const measured: BenchReport = {
  version: 1,
  benchmark: "store",
  package: { name: "sample", version: "1.2.3" },
  peer: null,
  node: "v20.19.0",
  machine: { platform: "linux", cpu: "sample", cores: 2, memoryMb: 4_096, load: 0 },
  runs: 1,
  warmUpMs: 1,
  sizes: { appendFrames: [100], streamFrames: 5, recoveryFrames: [4], framesPerTurn: 100, writeTimesMs: [] },
  durationMs: 10,
  measurements: [],
  budgets: [],
  notes: [],
};
