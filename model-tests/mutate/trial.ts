/** Tries one mutant: makes its copy, has it judged, and removes the copy. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { MemoryStorage } from "../../src/index.ts";
import type { Adapter } from "../adapters/adapter.ts";
import type { KnownDivergence } from "../adapters/known-divergence.ts";
import { piAgentCore } from "../adapters/pi-agent-core/adapter.ts";
import { piDivergences } from "../adapters/pi-agent-core/divergences.ts";
import { type Implementation, referenceAdapterOf } from "../adapters/reference.ts";
import { knownAs } from "../verify/known.ts";
import { labelsOf } from "../verify/labels.ts";
import { makeReport } from "../verify/make-report.ts";
import { verifyDefaults } from "../verify/options.ts";
import { importModule, leftOutBy, type NamedSubject } from "../verify/subject.ts";
import { driveSubject, type Explored } from "../verify/verify.ts";
import { judgeByTests } from "./judge-by-tests.ts";
import type { Mutant, Target } from "./mutant.ts";
import type { TrialResult } from "./verdict.ts";
import { openWorkspace, StaleMutant, type Workspace } from "./workspace.ts";

/** How a mutant is tried. */
export interface TrialOptions {
  /** Whoever tries several mutants explores the machine once. */
  readonly explore: () => Explored;
  /** How long a verification may drive. Default: to its end. */
  readonly budgetMs: number | undefined;
}

export async function tryMutant(target: Target, mutant: Mutant, options: TrialOptions): Promise<TrialResult> {
  let workspace: Workspace;
  try {
    workspace = openWorkspace(target, mutant);
  } catch (error) {
    if (error instanceof StaleMutant) return { verdict: "stale", by: error.message };
    throw error;
  }
  try {
    return mutant.tests === undefined
      ? await judgeByVerification(target, workspace, options)
      : await judgeByTests(workspace, mutant.tests);
  } finally {
    workspace.remove();
  }
}

async function judgeByVerification(target: Target, { folder }: Workspace, options: TrialOptions): Promise<TrialResult> {
  let subject: NamedSubject;
  try {
    subject = target === "src" ? await sourceSubject(folder) : await packageSubject(folder);
  } catch (error) {
    return { verdict: "broken", by: textOf(error) };
  }
  try {
    return await verify(subject, options);
  } catch (error) {
    // A verification that cannot be carried out ends with an exit code of its own: nobody would take it for a pass.
    return { verdict: "caught", by: textOf(error) };
  }
}

const subjectOf = (
  adapter: Adapter,
  known: readonly KnownDivergence[],
  { MemoryStorage: Store }: { MemoryStorage: typeof MemoryStorage },
): NamedSubject => ({
  adapter,
  known,
  leftOut: leftOutBy(known),
  newStore: () => new Store({ now: () => 0 }),
  dispose: () => {},
});

async function sourceSubject(folder: string): Promise<NamedSubject> {
  const copy = (await importModule(join(folder, "src", "index.ts"))) as Implementation & {
    MemoryStorage: typeof MemoryStorage;
  };
  return subjectOf(referenceAdapterOf(copy), [], copy);
}

async function packageSubject(folder: string): Promise<NamedSubject> {
  const adapter = await piAgentCore(pathToFileURL(join(folder, "dist", "index.js")).href);
  return subjectOf(adapter, piDivergences, { MemoryStorage });
}

/** What `durability verify --bail` says of the subject. */
async function verify(subject: NamedSubject, { explore, budgetMs }: TrialOptions): Promise<TrialResult> {
  const options = { ...verifyDefaults, bail: true, budgetMs };
  const driven = await driveSubject(options, subject, explore());
  const { tally, graph } = driven;
  const unlisted = [...tally.divergences.values()].filter((found) => knownAs(subject.known, found) === undefined);
  const [shortest] = unlisted.sort((a, b) => a.schedule.length - b.schedule.length || (a.key < b.key ? -1 : 1));
  const { schedules } = tally;
  if (shortest !== undefined) {
    const { requirement, field } = shortest.mismatch;
    return {
      verdict: "caught",
      by: `${requirement} ${field}`,
      schedule: labelsOf(graph, shortest.schedule),
      schedules,
    };
  }
  if (!driven.complete) return { verdict: "undecided", schedules };
  const { failures } = await makeReport(options, driven, performance.now(), () => {});
  const [failure] = failures;
  return failure === undefined ? { verdict: "survived", schedules } : { verdict: "caught", by: failure, schedules };
}

const textOf = (error: unknown): string => {
  const text = error instanceof Error ? error.message : String(error);
  return text.split("\n", 1)[0] as string;
};
