/**
 * The whole verification: explore the machine, drive the schedules of the race table and tours over what they leave, and
 * put what they have shown into a report.
 */
import type { Certificate } from "../certify/certificate.ts";
import { type ContentName, contentNames, contentsWithout } from "../contents/catalogue.ts";
import { explore, type Graph } from "../explore/graph.ts";
import type { Counts } from "../explore/independent.ts";
import { anotherTurns } from "../generate/another-turn.ts";
import { completeSuite } from "../generate/complete.ts";
import { lateAnswers } from "../generate/late-answers.ts";
import type { RacePlan } from "../generate/race-schedules.ts";
import type { Schedule } from "../generate/schedule.ts";
import type { Tours } from "../generate/tours.ts";
import { walks } from "../generate/walks.ts";
import { wholeStreams } from "../generate/whole-streams.ts";
import { certificateOf } from "./certificate.ts";
import { countOf, coverageTours, seededOrder, uncoveredPairs, uncoveredTours } from "./coverage.ts";
import type { Driven } from "./driven.ts";
import { type Batch, batchesOf, cutUp, type DriveOptions, type Executor, inThisThread, inWorkers } from "./executor.ts";
import { knownAs } from "./known.ts";
import { edgesOf } from "./labels.ts";
import { makeReport } from "./make-report.ts";
import { drivesAll, type Progress, type VerifyOptions } from "./options.ts";
import { plannedCrashes, plannedRaces, roadsAround, usableFor } from "./plans.ts";
import type { Report } from "./report.ts";
import { type Share, shareOf } from "./share.ts";
import { boundsOf, loadSubject, type NamedSubject, type SubjectName } from "./subject.ts";
import { addTally, type Divergence, type Tally, tallyFor } from "./tally.ts";

/** How many tours may follow the first to go around what an implementation does not offer. */
const detours = 4;
const determinismSample = 30;
const batchSize = 100;
/** A batch holds schedules that are alike; who looks for a first divergence wants different ones soon. */
const batchSizeToBail = 10;
const walksPerRound = 1_000;
const walkLength = 40;

/**
 * Explores the machine, drives the implementation through race rows, tours and random walks, and reports where the two part.
 *
 * @param onProgress told now and then how far it has come.
 * @param leave given what is to be kept besides the report.
 * @throws {UsageError} when the implementation or the store is not to be had.
 */
export async function verify(
  options: VerifyOptions,
  onProgress: (progress: Progress) => void = () => {},
  leave: Leave = {},
): Promise<Report> {
  const startedMs = performance.now();
  onProgress({ phase: "exploring", done: 0, total: 1 });
  const subject = await loadSubject(options);
  const executor =
    options.workers > 1 ? inWorkers(options.workers, subjectName(options, subject)) : inThisThread(subject);
  try {
    const bounds = boundsOf(options.bounds, subject);
    const independent = executor.exploreIndependently(bounds);
    const graph = explore(bounds);
    executor.use(graph);
    const driven = await new Verification(options, subject, { graph, independent }, executor, onProgress).drive();
    leave.share?.(shareOf(options, driven));
    return await reportOf(options, driven, startedMs, onProgress, leave);
  } finally {
    await executor.close();
    subject.dispose();
  }
}

/** What a verification leaves behind besides its report. */
export interface Leave {
  /** Given the certificate of a complete suite that held, for `checkCertificate`. */
  readonly certificate?: (certificate: Certificate) => void;
  /** Given what was driven, for `mergeShares`. */
  readonly share?: (share: Share) => void;
}

/** The report, and the certificate if there is one. */
export async function reportOf(
  options: VerifyOptions,
  driven: Driven,
  startedMs: number,
  onProgress: (progress: Progress) => void,
  leave: Leave,
): Promise<Report> {
  const report = await makeReport(options, driven, startedMs, onProgress);
  if (report.certificate !== undefined) leave.certificate?.(certificateOf(options, driven));
  return report;
}

/** The threads share the folder, which is this thread's to remove: a thread that is ended removes nothing. */
const subjectName = ({ sut, store, stream }: VerifyOptions, { folder }: NamedSubject): SubjectName => ({
  sut,
  store,
  ...(stream !== undefined && { stream }),
  ...(folder !== undefined && { folder }),
});

/** What is driven before anything is known of the implementation. */
interface FirstPlan {
  readonly plans: readonly RacePlan[];
  readonly tours: Tours;
}

/** The machine, explored twice. Several verifications with the same options can share it. */
export interface Explored {
  readonly graph: Graph;
  readonly independent: Counts | Promise<Counts>;
  /** Planned by the first of them. */
  first?: FirstPlan;
}

/** Drives a subject that has no name, in this thread, over a graph that was explored before. */
export async function driveSubject(options: VerifyOptions, subject: NamedSubject, explored: Explored): Promise<Driven> {
  const executor = inThisThread(subject);
  executor.use(explored.graph);
  return new Verification(options, subject, explored, executor, () => {}).drive();
}

class Verification {
  readonly #options: VerifyOptions;
  readonly #subject: NamedSubject;
  readonly #graph: Graph;
  readonly #explored: Explored;
  readonly #executor: Executor;
  readonly #onProgress: (progress: Progress) => void;
  readonly #tally: Tally;
  readonly #startedMs = performance.now();
  #complete = true;
  #bailed = false;
  #generateMs = 0;

  constructor(
    options: VerifyOptions,
    subject: NamedSubject,
    explored: Explored,
    executor: Executor,
    onProgress: (progress: Progress) => void,
  ) {
    this.#options = options;
    this.#subject = subject;
    this.#explored = explored;
    this.#graph = explored.graph;
    this.#executor = executor;
    this.#onProgress = onProgress;
    this.#tally = tallyFor(explored.graph);
  }

  async drive(): Promise<Driven> {
    const first = this.#timed(() => this.#planFirst());
    const { tours } = first;
    let { plans } = first;
    await this.#run("coverage", tours.schedules);
    if (this.#someBlocked()) {
      // Where the implementation leaves the specification, the rows' schedules may not get to what was left to them.
      await this.#goAround();
      plans = this.#timed(() => plannedRaces(this.#graph, this.#tally, this.#options));
    }
    const raceSchedules = plans.flatMap(({ schedules }) => schedules);
    await this.#run("races", raceSchedules);
    await this.#goAround();
    await this.#goOn();
    await this.#tellAll();
    const suite = await this.#driveComplete();
    const internalCrashes = this.#timed(() => plannedCrashes(this.#graph, this.#tally, this.#options));
    // Which commits a harness makes of its own only that share knows which has driven the step: it drives them all.
    await this.#driveAll("coverage", this.#batchesOf(internalCrashes));
    await this.#driveListed();
    const walked = await this.#walk();
    const driveMs = performance.now() - this.#startedMs;
    this.#onProgress({ phase: "determinism", done: 0, total: 1 });
    const sample = seededOrder([...tours.schedules, ...raceSchedules], this.#options.seed).slice(0, determinismSample);
    return {
      graph: this.#graph,
      independent: await this.#explored.independent,
      subject: this.#subject,
      tally: this.#tally,
      plans,
      generateMs: this.#generateMs,
      stepsLowerBound: tours.stepsLowerBound,
      coverageSteps: tours.schedules.reduce((steps, { edges }) => steps + edges.length, 0),
      internalCrashes: internalCrashes.length,
      suite,
      walks: walked,
      determinism: await this.#executor.checkDeterminism(this.#bailed ? [] : sample),
      driveMs,
      complete: this.#complete,
      bailed: this.#bailed,
    };
  }

  #planFirst(): FirstPlan {
    if (this.#explored.first !== undefined) return this.#explored.first;
    const plans = plannedRaces(this.#graph, this.#tally, this.#options);
    const first = { plans, tours: coverageTours(this.#graph, this.#options.criterion, this.#leftTo(plans)) };
    this.#explored.first = first;
    return first;
  }

  #timed<T>(work: () => T): T {
    const startedMs = performance.now();
    const result = work();
    this.#generateMs += performance.now() - startedMs;
    return result;
  }

  /** Every row is driven anyway: its schedules cover transitions, which then need no tour. */
  #leftTo(plans: readonly RacePlan[]): readonly Schedule[] {
    return this.#options.races.length > 0 ? [] : plans.flatMap(({ schedules }) => schedules);
  }

  #someBlocked(): boolean {
    return this.#tally.diverged.includes(1) || this.#tally.notOffered.includes(1);
  }

  /** Reach what the first tours could not, around what this implementation does not offer or fails. */
  async #goAround(): Promise<void> {
    // A shard leaves to the others what it does not drive itself.
    const alone = this.#options.shard.of === 1 && this.#options.races.length === 0;
    const { criterion } = this.#options;
    if (!drivesAll(criterion) || !alone) return;
    await this.#detour("covered", () => uncoveredTours(this.#graph, this.#tally));
    if (criterion === "transitions" || criterion === "complete") return;
    await this.#detour("pairs", () => uncoveredPairs(this.#graph, criterion, this.#tally));
  }

  /** Drive what is still uncovered, as long as that covers something. */
  async #detour(what: "covered" | "pairs", plan: () => Tours): Promise<void> {
    for (let detour = 0; detour < detours && this.#complete; detour++) {
      const { schedules } = this.#timed(plan);
      if (schedules.length === 0) return;
      const before = countOf(this.#tally[what]);
      await this.#run("coverage", schedules);
      if (countOf(this.#tally[what]) === before) return;
    }
  }

  /** Every test of a complete suite: around what is not offered or fails, since nothing can be told behind it. */
  async #driveComplete(): Promise<Driven["suite"]> {
    const { criterion, k, races } = this.#options;
    if (criterion !== "complete" || races.length > 0) return undefined;
    const suite = this.#timed(() => completeSuite(this.#graph, k, usableFor(this.#tally)));
    const tests = this.#timed(() => [...suite.tests()]);
    const planned = tests.map((test): Schedule => ({ ...test, isTest: true }));
    await this.#driveShare("tests", cutUp(planned, batchSize, contentsWithout(this.#subject.leftOut)));
    return { suite, tests };
  }

  /** What a stop or a refusal has left behind shows in the turn after it (Q7), or when a late answer comes (K1). */
  async #goOn(): Promise<void> {
    if (!drivesAll(this.#options.criterion) || this.#options.races.length > 0) return;
    const plan = (): Schedule[] => {
      const roads = roadsAround(this.#graph, this.#tally);
      return [...anotherTurns(roads), ...lateAnswers(roads)];
    };
    await this.#run("coverage", this.#timed(plan));
  }

  /** Every content to its end, cut off at each of its later frames. */
  async #tellAll(): Promise<void> {
    if (!drivesAll(this.#options.criterion) || this.#options.races.length > 0) return;
    const contents = contentsWithout(this.#subject.leftOut).map((name) => contentNames.indexOf(name));
    await this.#run(
      "coverage",
      this.#timed(() => wholeStreams(roadsAround(this.#graph, this.#tally), contents)),
    );
  }

  /**
   * Random walks meet states by other ways than the tours. As a criterion of their own they go on until the budget is spent.
   *
   * @returns how many were driven.
   */
  async #walk(): Promise<number> {
    const { criterion, budgetMs, races, seed, shard } = this.#options;
    const isAim = criterion === "walks";
    if (!this.#complete || races.length > 0 || !(isAim || drivesAll(criterion))) return 0;
    const usable = usableFor(this.#tally);
    let rounds = 0;
    do {
      const options = { count: walksPerRound, length: walkLength, seed: seed + rounds * shard.of + shard.index - 1 };
      const batches = this.#timed(() => this.#batchesOf(walks(this.#graph, options, usable)));
      // A budget that ends amid the first round leaves something out that every run drives.
      await this.#driveAll("walks", batches, rounds === 0);
      rounds++;
    } while (isAim && budgetMs !== undefined && this.#hasTime());
    return rounds * walksPerRound;
  }

  /** Each listed divergence must still occur, the rarest case of it too. */
  async #driveListed(): Promise<void> {
    const { bounds, criterion, races } = this.#options;
    if (!drivesAll(criterion) || bounds !== "default" || races.length > 0) return;
    const cases = this.#subject.known.flatMap((entry) => [entry, ...entry.matches]);
    const schedules = cases.flatMap(
      ({ schedule, content }: { schedule?: readonly string[]; content?: ContentName }) => {
        if (schedule === undefined) return [];
        const edges = edgesOf(this.#graph, schedule);
        return [{ edges, ...(content !== undefined && { content: contentNames.indexOf(content) }) }];
      },
    );
    await this.#run("coverage", schedules);
  }

  async #run(phase: Progress["phase"], schedules: readonly Schedule[]): Promise<void> {
    await this.#driveShare(
      phase,
      this.#timed(() => this.#batchesOf(schedules)),
    );
  }

  /** Drive those batches that this shard has to. */
  async #driveShare(phase: Progress["phase"], batches: readonly Batch[]): Promise<void> {
    const { shard, seed } = this.#options;
    const mine = batches.filter((_, at) => at % shard.of === shard.index - 1);
    await this.#driveAll(phase, seededOrder(mine, seed));
  }

  #batchesOf(schedules: readonly Schedule[]): Batch[] {
    return batchesOf(
      schedules,
      this.#options.bail ? batchSizeToBail : batchSize,
      contentsWithout(this.#subject.leftOut),
    );
  }

  #hasTime(): boolean {
    const { budgetMs } = this.#options;
    return budgetMs === undefined || performance.now() - this.#startedMs <= budgetMs;
  }

  #mustBail(shown: Tally): boolean {
    if (!this.#options.bail) return false;
    const isUnlisted = (divergence: Divergence): boolean => knownAs(this.#subject.known, divergence) === undefined;
    this.#bailed ||= [...shown.divergences.values()].some(isUnlisted);
    if (this.#bailed) this.#complete = false;
    return this.#bailed;
  }

  /** @param isDue whether the verification is incomplete when the time runs out before all is driven. */
  async #driveAll(phase: Progress["phase"], batches: readonly Batch[], isDue = true): Promise<void> {
    const total = batches.reduce((sum, { length }) => sum + length, 0);
    let done = 0;
    const options: DriveOptions = {
      mayContinue: (shown) => {
        if (this.#mustBail(shown)) return false;
        const hasTime = this.#hasTime();
        if (!hasTime && isDue) this.#complete = false;
        return hasTime;
      },
      onDriven: (count) => {
        done += count;
        this.#onProgress({ phase, done, total });
      },
    };
    this.#onProgress({ phase, done, total });
    addTally(this.#tally, await this.#executor.drive(batches, options));
    this.#mustBail(this.#tally);
  }
}
