/**
 * Kills processes at moments that a seed chooses, and checks after each death what is left of the session.
 *
 * A kill tests the death of a process: what the operating system was given stays. What "power" promises beyond that is
 * exercised here, and not put to the test.
 */
import { cpSync, existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import {
  type Durability,
  DurabilityError,
  type FileStorage,
  type FileStore,
  type FileStoreName,
  fileStoreNamed,
} from "../../src/index.ts";
import { Random } from "../random.ts";
import { selfRemovingFolder } from "../stores/self-removing-folder.ts";
import { CrashChild, type Death, type Offered } from "./child-process.ts";
import { Committed } from "./committed.ts";
import { ensure, Loss } from "./loss.ts";
import { findPrefix } from "./prefix.ts";
import { afterDeathOf } from "./protocol.ts";
import { checkRecovery, isOrphaned } from "./recovery.ts";
import type { CampaignFigures, LossReport } from "./report.ts";

export interface CampaignOptions {
  readonly store: FileStoreName;
  readonly durability: Durability;
  readonly kills: number;
  /**
   * Decides what the children do, and after how much of it and how many microseconds later each is killed. Where in its
   * work the signal meets a child is up to the machine.
   */
  readonly seed: number;
  /** Where what a loss left behind is kept; nowhere when absent. */
  readonly evidence?: string;
  /** See {@link ChildJob}. */
  readonly storeModule?: string;
}

/** So many processes in turn work on one session; then a fresh one begins. The last one writes something huge. */
const killsPerSession = 10;
const mostTold = 150;
/** How long after the moment the signal is sent, in microseconds. */
const longestDelayUs = 3_000;
const longestDelayOfHugeUs = 300;
const longestWaitForGrowthMs = 300;

const fileName = "session";

export async function crashCampaign(
  options: CampaignOptions,
  onProgress: (kills: number) => void = () => {},
): Promise<CampaignFigures> {
  const folder = selfRemovingFolder();
  let standby = new CrashChild();
  const nextChild = (): CrashChild => {
    const child = standby;
    // The next one loads its modules while this one works.
    standby = new CrashChild();
    return child;
  };
  try {
    const campaign = new Campaign(options, folder.path, nextChild);
    for (let kill = 1; kill <= options.kills; kill++) {
      await campaign.kill(kill);
      onProgress(kill);
    }
    return campaign.figures();
  } finally {
    await standby.kill();
    folder.remove();
  }
}

class Campaign {
  readonly #options: CampaignOptions;
  readonly #store: FileStore;
  readonly #folder: string;
  readonly #nextChild: () => CrashChild;
  readonly #startedMs = performance.now();
  readonly #losses: LossReport[] = [];
  readonly #counts = { kills: 0, acknowledged: 0, unacknowledged: 0, tornTails: 0, recoveries: 0 };
  #committed = new Committed();
  #sessions = 0;

  constructor(options: CampaignOptions, folder: string, nextChild: () => CrashChild) {
    this.#options = options;
    this.#store = fileStoreNamed(options.store);
    this.#folder = folder;
    this.#nextChild = nextChild;
  }

  figures(): CampaignFigures {
    const { store, durability } = this.#options;
    const durationMs = Math.round(performance.now() - this.#startedMs);
    return { store, durability, ...this.#counts, durationMs, losses: this.#losses };
  }

  /** One child, from its job to its death, and what it has left. */
  async kill(kill: number): Promise<void> {
    if (kill % killsPerSession === 1) this.#newSession();
    this.#counts.kills++;
    const child = this.#nextChild();
    try {
      const { offered, byItself } = await this.#untilDeath(child, kill);
      cpSync(this.#session, this.#remains, { recursive: true });
      ensure(byItself === undefined, `the process ended by itself: ${byItself}`);
      await this.#check(offered, kill);
    } catch (error) {
      if (!(error instanceof Loss || error instanceof DurabilityError)) throw error;
      this.#losses.push({ kill, what: error.message, ...this.#keepEvidence(kill) });
      // What is left of this session is not known any more.
      this.#newSession();
    } finally {
      await child.kill();
      rmSync(this.#remains, { recursive: true, force: true });
    }
  }

  async #untilDeath(child: CrashChild, kill: number): Promise<Death> {
    const { store, durability, seed, storeModule } = this.#options;
    const random = new Random(seed, kill, 1);
    const path = join(this.#session, fileName);
    const huge = kill % killsPerSession === 0;
    const job = { path, store, durability, seed, child: kill, huge, ...(storeModule !== undefined && { storeModule }) };
    // Early moments more often than late ones: openings and recoveries are what is most often cut short.
    const told = Math.floor(mostTold * random.next() ** 2);
    await child.work(job, huge ? "huge" : told);
    if (huge) untilGrown(this.#store.written.map((ending) => `${path}${ending}`));
    stayBusy(random.below(huge ? longestDelayOfHugeUs : longestDelayUs));
    return child.kill();
  }

  async #check(offered: readonly Offered[], kill: number): Promise<void> {
    const path = join(this.#session, fileName);
    const sizeBefore = sizeOf(path);
    const store = await this.#open(path);
    try {
      const { acknowledged, unacknowledged } = await findPrefix(store, this.#committed, offered);
      this.#counts.acknowledged += acknowledged;
      this.#counts.unacknowledged += unacknowledged;
      if (this.#store.cutsTornTails && sizeOf(path) < sizeBefore) this.#counts.tornTails++;
    } finally {
      await store.close();
    }
    const defect = await this.#store.defectOf?.(path);
    ensure(defect === undefined, `A11: the file of the session is damaged: ${defect}`);
    if (!isOrphaned(this.#committed)) return;
    // On a copy, so that the next child has something to recover too.
    const copy = join(this.#folder, "recovery");
    cpSync(this.#remains, copy, { recursive: true });
    try {
      await checkRecovery(() => this.#open(join(copy, fileName)), this.#committed.copy(), afterDeathOf(kill));
    } finally {
      rmSync(copy, { recursive: true });
    }
    this.#counts.recoveries++;
  }

  #open(path: string): Promise<FileStorage> {
    return this.#store.open(path, { durability: "process", now: () => 0 });
  }

  get #session(): string {
    return join(this.#folder, `session-${this.#sessions}`);
  }

  /** The files as the death left them, before anybody has opened them. */
  get #remains(): string {
    return join(this.#folder, "remains");
  }

  #newSession(): void {
    rmSync(this.#session, { recursive: true, force: true });
    this.#sessions++;
    mkdirSync(this.#session);
    this.#committed = new Committed();
  }

  #keepEvidence(kill: number): { evidence?: string } {
    const { evidence, store, durability } = this.#options;
    if (evidence === undefined || !existsSync(this.#remains)) return {};
    const folder = join(evidence, `crash-${store}-${durability}-${kill}`);
    cpSync(this.#remains, folder, { recursive: true });
    return { evidence: folder };
  }
}

const sizeOf = (path: string): number => (existsSync(path) ? statSync(path).size : 0);

/** Looks on until the write is under way that the child has told of, or seems to have come and gone. */
function untilGrown(paths: readonly string[]): void {
  const size = () => paths.reduce((sum, path) => sum + sizeOf(path), 0);
  const before = size();
  const untilMs = performance.now() + longestWaitForGrowthMs;
  while (size() === before && performance.now() < untilMs);
}

/** Shorter than any timer. */
function stayBusy(microseconds: number): void {
  const untilMs = performance.now() + microseconds / 1_000;
  while (performance.now() < untilMs);
}
